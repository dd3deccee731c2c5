-- Appends one event to a run's trace while the run belongs to this holder.
-- KEYS: run, trace    ARGV: holder, longest (events), keep (s), event
if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[2], '*', 'event', ARGV[4])
redis.call('EXPIRE', KEYS[2], ARGV[3])
return 1
