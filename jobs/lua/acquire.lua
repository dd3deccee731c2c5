-- Makes one execution the owner of a run's attempt.
-- KEYS: run, lease    ARGV: attempt, holder, life of the lease (ms), now (ms)
-- Returns 1 if it is the owner now, 0 if another attempt, another owner or an ending is there.
if redis.call('HGET', KEYS[1], 'attempt') ~= ARGV[1] then return 0 end
if redis.call('HGET', KEYS[1], 'state') == 'finished' then return 0 end
local held = redis.call('GET', KEYS[2])
if held and held ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
redis.call('HSET', KEYS[1], 'state', 'running', 'holder', ARGV[2], 'lost', '')
redis.call('HSETNX', KEYS[1], 'started_at', ARGV[4])
return 1
