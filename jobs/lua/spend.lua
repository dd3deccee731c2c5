-- Adds what was spent, once per id, whoever owns the run now: money that is gone stays gone.
-- KEYS: run, spend, day, day of the repository
-- ARGV: id, holder, usd, input, output, cache_read, cache_write_5m, cache_write_1h, keep (s), rounds, seconds of work
-- Returns {1 if the holder still owns the run, usd of the run so far, usd of the day so far, and of the repository's day}.
if redis.call('HSETNX', KEYS[2], ARGV[1], ARGV[3]) == 1 then
  redis.call('EXPIRE', KEYS[2], ARGV[9])
  redis.call('HINCRBYFLOAT', KEYS[1], 'usd', ARGV[3])
  for i = 3, 4 do
    redis.call('INCRBYFLOAT', KEYS[i], ARGV[3])
    redis.call('EXPIRE', KEYS[i], ARGV[9])
  end
  local names = {'input', 'output', 'cache_read', 'cache_write_5m', 'cache_write_1h'}
  for i, name in ipairs(names) do redis.call('HINCRBY', KEYS[1], name, ARGV[3 + i]) end
  redis.call('HINCRBY', KEYS[1], 'rounds', ARGV[10])
  redis.call('HINCRBYFLOAT', KEYS[1], 'agent_s', ARGV[11])
end
local mine = 0
if redis.call('HGET', KEYS[1], 'holder') == ARGV[2] then mine = 1 end
return {mine, redis.call('HGET', KEYS[1], 'usd'), redis.call('GET', KEYS[3]), redis.call('GET', KEYS[4])}
