-- Accepts one delivery, or says which entry it already is. Everything or nothing.
-- KEYS: delivery mark, meaning mark, entry, todo, bell, and one to be dated if it is new    ARGV: entry id, now (ms), keep (s), then field, value, ...
local known = redis.call('GET', KEYS[1]) or redis.call('GET', KEYS[2])
if known then
  redis.call('SET', KEYS[1], known, 'EX', ARGV[3])
  return {0, known}
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[3])
redis.call('SET', KEYS[2], ARGV[1], 'EX', ARGV[3])
redis.call('HSET', KEYS[3], 'at', ARGV[2], 'tries', 0, unpack(ARGV, 4))
redis.call('ZADD', KEYS[4], ARGV[2], ARGV[1])
redis.call('LPUSH', KEYS[5], '1')
redis.call('LTRIM', KEYS[5], 0, 0)
if KEYS[6] then redis.call('SET', KEYS[6], ARGV[2], 'NX', 'EX', ARGV[3]) end
return {1, ARGV[1]}
