-- Gives a run up: its owner is dead or leaves, and somebody else may take it at once.
-- KEYS: run, lease    ARGV: attempt, '1' if this counts as a death
if redis.call('HGET', KEYS[1], 'attempt') ~= ARGV[1] then return 0 end
if redis.call('HGET', KEYS[1], 'state') == 'finished' then return 0 end
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[1], 'holder', '', 'lost', ARGV[2])
return 1
