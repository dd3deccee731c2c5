-- Records a run's one ending. Only its holder may, and only once; the same holder saying it again changes nothing.
-- KEYS: run, lease, open, untold
-- ARGV: holder, run id, now (ms), '1' if people were told, keep (s), outcome, reason, result
if redis.call('HGET', KEYS[1], 'holder') ~= ARGV[1] then return 0 end
if redis.call('HGET', KEYS[1], 'state') == 'finished' then return 1 end
redis.call('HSET', KEYS[1], 'state', 'finished', 'finished_at', ARGV[3], 'told', ARGV[4],
  'outcome', ARGV[6], 'reason', ARGV[7], 'result', ARGV[8])
redis.call('HDEL', KEYS[1], 'kept')
redis.call('DEL', KEYS[2])
redis.call('SREM', KEYS[3], ARGV[2])
if ARGV[4] ~= '1' then redis.call('SADD', KEYS[4], ARGV[2]) end
redis.call('EXPIRE', KEYS[1], ARGV[5])
return 1
