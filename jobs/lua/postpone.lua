-- Puts a run back until later: its holder met a temporary refusal.
-- KEYS: run, lease    ARGV: holder, due (ms), reason
if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
if redis.call('HGET', KEYS[1], 'state') ~= 'running' then return 0 end
redis.call('HSET', KEYS[1], 'state', 'waiting', 'holder', '', 'due_at', ARGV[2], 'reason', ARGV[3])
redis.call('HINCRBY', KEYS[1], 'waits', 1)
redis.call('DEL', KEYS[2])
return 1
