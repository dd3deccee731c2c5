-- Asks a run to stop. KEYS: run    ARGV: reason
-- Returns 1 if it is open, 0 if there is nothing to stop.
local state = redis.call('HGET', KEYS[1], 'state')
if not state or state == 'finished' then return 0 end
redis.call('HSET', KEYS[1], 'stop', ARGV[1])
return 1
