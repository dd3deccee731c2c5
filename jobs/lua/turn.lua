-- Takes the next turn at a model key: behind every turn taken before, and as soon as the minute that ends with it has room.
-- KEYS: turns, limits
-- ARGV: id of the turn, tokens, minute (ms), share of a limit that is used, longest wait (ms)
-- Returns the milliseconds until the turn begins. The same id has the same turn, so that it may be asked for twice.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local tokens, minute = tonumber(ARGV[2]), tonumber(ARGV[3])
local member = ARGV[1] .. ':' .. ARGV[2]
local had = redis.call('ZSCORE', KEYS[1], member)
if had then return math.max(0, had - now) end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - minute)
local known = redis.call('HMGET', KEYS[2], 'requests', 'tokens', 'until')
local function usable(limit)
  limit = tonumber(limit or 0)
  if limit <= 0 then return nil end
  return math.max(1, math.floor(limit * ARGV[4]))
end
local most, most_tokens = usable(known[1]), usable(known[2])
local taken = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
local count, total, at = #taken / 2, 0, now
for i = 1, #taken, 2 do total = total + tonumber(string.match(taken[i], ':(%d+)$')) end
if count > 0 then at = math.max(now, tonumber(taken[#taken])) end
for i = 1, #taken, 2 do
  local began = tonumber(taken[i + 1])
  local full = (most and count + 1 > most) or (most_tokens and total > 0 and total + tokens > most_tokens)
  if began > at - minute and not full then break end
  if full then at = math.max(at, began + minute) end
  count, total = count - 1, total - tonumber(string.match(taken[i], ':(%d+)$'))
end
at = math.max(at, tonumber(known[3] or 0))
at = math.min(at, now + tonumber(ARGV[5]))
redis.call('ZADD', KEYS[1], at, member)
redis.call('PEXPIRE', KEYS[1], minute + tonumber(ARGV[5]))
return at - now
