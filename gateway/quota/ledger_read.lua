-- Reads entries of a shard's stream for a consumer of the group, which is made where it is missing.
--
-- KEYS  1 ledger stream
-- ARGV  1 group  2 consumer  3 entries at once  4 milliseconds after which entries of others are taken over
--       5 milliseconds after which a consumer that owes nothing leaves the group
-- Gives the entries: first those that it read before and did not finish, then those that others have
-- abandoned, then new ones.

local stream, group, consumer, count = KEYS[1], ARGV[1], ARGV[2], ARGV[3]

-- An error other than that it exists is the reply.
local made = redis.pcall('XGROUP', 'CREATE', stream, group, '0', 'MKSTREAM')
if made.err and not string.find(made.err, 'BUSYGROUP', 1, true) then
  return made
end

local function read(from)
  local reply = redis.call('XREADGROUP', 'GROUP', group, consumer, 'COUNT', count, 'STREAMS', stream, from)
  local found = {}
  -- Of entries that the stream no longer has the ids are returned, without fields.
  for _, entry in ipairs(reply and reply[1][2] or {}) do
    if entry[2] then
      found[#found + 1] = entry
    end
  end
  return found
end

local owed = read('0')
if #owed > 0 then
  return owed
end
local abandoned = redis.call('XAUTOCLAIM', stream, group, consumer, ARGV[4], '0-0', 'COUNT', count)[2]
if #abandoned > 0 then
  return abandoned
end
local fresh = read('>')
if #fresh == 0 then
  for _, member in ipairs(redis.call('XINFO', 'CONSUMERS', stream, group)) do
    local facts = {}
    for index = 1, #member, 2 do
      facts[member[index]] = member[index + 1]
    end
    if facts.pending == 0 and facts.idle >= tonumber(ARGV[5]) then
      redis.call('XGROUP', 'DELCONSUMER', stream, group, facts.name)
    end
  end
end
return fresh
