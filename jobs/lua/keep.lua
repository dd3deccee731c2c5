-- Keeps values for a later attempt of the run, while the run belongs to this holder.
-- KEYS: run    ARGV: holder, values (JSON)
if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'kept', ARGV[2])
return 1
