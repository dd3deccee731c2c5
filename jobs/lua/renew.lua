-- Renews a lease while its run still belongs to this holder, also where a restart or a pause let it lapse.
-- KEYS: run, lease    ARGV: holder, life of the lease (ms)
-- Returns {1 or 0, why it should stop or ''}.
if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return {0, ''} end
if redis.call('HGET', KEYS[1], 'state') ~= 'running' then return {0, ''} end
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
return {1, redis.call('HGET', KEYS[1], 'stop') or ''}
