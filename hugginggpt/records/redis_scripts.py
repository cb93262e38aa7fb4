"""The keys of runs in Redis or Valkey, and the scripts that the service runs as a whole.

All keys have the same hash tag, and so stand on one node of a cluster.
"""

from __future__ import annotations

PREFIX = "{hugginggpt}"
GOING, NEWEST, CONTROLLERS = (f"{PREFIX}:{name}" for name in ("going", "newest", "controllers"))
"""Sorted sets: runs that go on, by the end of their leases; all runs, by their beginning; controllers, by the time
until which they count as alive.
"""


def run(run_id: str) -> str:
    return f"{PREFIX}:run:{run_id}"


def events(run_id: str) -> str:
    return f"{PREFIX}:events:{run_id}"


def journal(run_id: str) -> str:
    return f"{PREFIX}:journal:{run_id}"


def chat(chat_id: str) -> str:
    """The run of a conversation that goes on."""
    return f"{PREFIX}:chat:{chat_id}"


def inbox(controller: str) -> str:
    """What others ask of a controller."""
    return f"{PREFIX}:inbox:{controller}"


def end(controller: str) -> str:
    """Has an entry once the controller ends, for its threads that read."""
    return f"{PREFIX}:end:{controller}"


_SHARED = f"""
local p = '{PREFIX}:'
local function now() local t = redis.call('TIME') return t[1] * 1000 + math.floor(t[2] / 1000) end
local function key(kind, id) return p .. kind .. ':' .. id end
local function forget(id)
  redis.call('DEL', key('run', id), key('events', id), key('journal', id))
  redis.call('ZREM', p .. 'newest', id)
end
local function free(id)
  redis.call('ZREM', p .. 'going', id)
  local chat = redis.call('HGET', key('run', id), 'chat')
  if chat and chat ~= '' and redis.call('GET', key('chat', chat)) == id then redis.call('DEL', key('chat', chat)) end
end
"""

_BEGIN = """
local id, me, lease, most, chat, head, again = unpack(ARGV)
local time = now()
if not redis.call('ZSCORE', p .. 'going', id) and redis.call('ZCARD', p .. 'going') >= tonumber(most) then
  return 'full'
end
if chat ~= '' then
  local busy = redis.call('GET', key('chat', chat))
  if busy and busy ~= id and redis.call('ZSCORE', p .. 'going', busy) then return busy end
  redis.call('SET', key('chat', chat), id)
end
redis.call('ZADD', p .. 'going', time + lease, id)
redis.call('ZADD', p .. 'newest', time, id)
redis.call('HSET', key('run', id), 'head', head, 'owner', me, 'chat', chat, 'again', again)
return ''
"""

_ADD = """
local id, me, first, count, lines = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local owner = redis.call('HGET', key('run', id), 'owner')
if not owner then return 'unknown' end
if owner ~= me then return 'lost' end
local told = tonumber(redis.call('HGET', key('run', id), 'told') or 0)
for i = 0, count - 1 do
  if first + i > told then
    redis.call('XADD', key('events', id), '0-' .. string.format('%d', first + i), 'event', ARGV[6 + i])
  end
end
redis.call('HSET', key('run', id), 'told', math.max(told, first + count - 1))
for i = 0, lines - 1 do redis.call('RPUSH', key('journal', id), ARGV[6 + count + i]) end
local most, seconds, record = ARGV[6 + count + lines], ARGV[7 + count + lines], ARGV[8 + count + lines]
if record then
  free(id)
  redis.call('XADD', key('events', id), '1-0', 'over', '1')
  redis.call('HSET', key('run', id), 'record', record, 'owner', '')
  redis.call('HDEL', key('run', id), 'again')
  redis.call('DEL', key('journal', id))
  redis.call('EXPIRE', key('run', id), seconds)
  redis.call('EXPIRE', key('events', id), seconds)
  for _, old in ipairs(redis.call('ZRANGE', p .. 'newest', 0, -1 - most)) do
    if not redis.call('ZSCORE', p .. 'going', old) then forget(old) end
  end
end
return ''
"""

_DISCARD = """
if redis.call('HGET', key('run', ARGV[1]), 'owner') == ARGV[2] then free(ARGV[1]) forget(ARGV[1]) end
"""

_RENEW = """
local me, lease, time = ARGV[1], ARGV[2], now()
local lost = {}
redis.call('ZADD', p .. 'controllers', time + lease, me)
for i = 3, #ARGV do
  if redis.call('HGET', key('run', ARGV[i]), 'owner') == me then
    redis.call('ZADD', p .. 'going', 'XX', time + lease, ARGV[i])
  else
    lost[#lost + 1] = ARGV[i]
  end
end
redis.call('EXPIRE', key('inbox', me), 60)
return lost
"""

_CLAIM = """
local me, lease, time = ARGV[1], ARGV[2], now()
local id = redis.call('ZRANGEBYSCORE', p .. 'going', '-inf', time, 'LIMIT', 0, 1)[1]
if not id then return nil end
redis.call('ZADD', p .. 'going', time + lease, id)
local lost = 0
if redis.call('HGET', key('run', id), 'owner') ~= '' then lost = 1 end
lost = redis.call('HINCRBY', key('run', id), 'lost', lost)
redis.call('HSET', key('run', id), 'owner', me)
local head, again, cancelled = unpack(redis.call('HMGET', key('run', id), 'head', 'again', 'cancelled'))
if not head then free(id) forget(id) return nil end
return {id, head, again, lost, cancelled or ''}
"""

_HAND_OVER = """
if redis.call('HGET', key('run', ARGV[1]), 'owner') == ARGV[2] then
  redis.call('HSET', key('run', ARGV[1]), 'owner', '')
  redis.call('ZADD', p .. 'going', 'XX', 0, ARGV[1])
end
"""

_CANCEL = """
local id = ARGV[1]
if redis.call('HEXISTS', key('run', id), 'head') == 0 then return end
redis.call('HSET', key('run', id), 'cancelled', '1')
local owner = redis.call('HGET', key('run', id), 'owner')
if owner and owner ~= '' then
  redis.call('XADD', key('inbox', owner), 'MAXLEN', '~', 1000, '*', 'cancel', id)
  redis.call('EXPIRE', key('inbox', owner), 60)
end
"""

_OTHERS = """
redis.call('ZREMRANGEBYSCORE', p .. 'controllers', '-inf', now())
redis.call('ZREM', p .. 'controllers', ARGV[1])
return redis.call('ZCARD', p .. 'controllers')
"""

_LEAVE = """
redis.call('ZREM', p .. 'controllers', ARGV[1])
redis.call('DEL', key('inbox', ARGV[1]))
redis.call('XADD', key('end', ARGV[1]), '*', 'end', '1')
redis.call('EXPIRE', key('end', ARGV[1]), 60)
"""

ALL = {
    name: _SHARED + body
    for name, body in {
        "begin": _BEGIN, "add": _ADD, "discard": _DISCARD, "renew": _RENEW, "claim": _CLAIM, "hand_over": _HAND_OVER,
        "cancel": _CANCEL, "others": _OTHERS, "leave": _LEAVE,
    }.items()
}  # fmt: skip
"""The scripts by name."""
