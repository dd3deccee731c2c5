-- Takes the entry that is due first and puts off its next try, so that a dead taker delays it but never loses it.
-- KEYS: todo    ARGV: now (ms), first delay (ms), longest delay (ms), prefix of entry keys
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, 1)
if #due == 0 then return false end
local key = ARGV[4] .. due[1]
if redis.call('EXISTS', key) == 0 then
  redis.call('ZREM', KEYS[1], due[1])
  return {due[1], {}}
end
local tries = redis.call('HINCRBY', key, 'tries', 1)
local delay = math.min(tonumber(ARGV[2]) * 2 ^ (tries - 1), tonumber(ARGV[3]))
redis.call('ZADD', KEYS[1], tonumber(ARGV[1]) + delay, due[1])
return {due[1], redis.call('HGETALL', key)}
