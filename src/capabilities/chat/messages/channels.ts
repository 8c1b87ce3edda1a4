import { createHash } from 'node:crypto'
import { textIn } from '../../../outbound/client/text-in.ts'
import type { ChannelPage, SentMessage } from '../contract.ts'
import { bearer } from '../installation/access.ts'
import type { ChatApi, Fields } from './chat-api.ts'
import { ChatError } from './chat-error.ts'

export type ChannelQuery = { pageSize?: number; cursor?: string; team?: string }

export async function listChannels(api: ChatApi, token: string, query: ChannelQuery): Promise<ChannelPage> {
  const fields: Fields = {
    types: 'public_channel,private_channel',
    exclude_archived: 'true',
    limit: String(query.pageSize ?? 200),
    ...(query.cursor ? { cursor: query.cursor } : {}),
    ...(query.team ? { team_id: query.team } : {}),
  }
  const answer = await api.call('conversations.list', bearer(token), fields)
  const entries = Array.isArray(answer.channels) ? answer.channels : []
  const cursor = textIn(answer.response_metadata, 'next_cursor')
  return { channels: entries.map(toChannel).filter(isUsable), hasMore: cursor !== '', cursor }
}

/** The name of a channel that the app may post to. */
export async function channelName(api: ChatApi, token: string, channel: string): Promise<string> {
  const answer = await api.call('conversations.info', bearer(token), { channel })
  const { is_archived: isArchived } = (answer.channel ?? {}) as Record<string, unknown>
  if (isArchived === true) throw new ChatError('refused', 'The channel is archived.')
  return textIn(answer.channel, 'name')
}

/** Posts once for a `key`, however often it is called: the chat service drops repetitions of an id (`client_msg_id`). */
export async function postMessage(
  api: ChatApi,
  token: string,
  { channel, text, key }: { channel: string; text: string; key?: string },
): Promise<SentMessage> {
  const fields = { channel, text, parse: 'none', unfurl_links: 'false', unfurl_media: 'false' }
  const id = key === undefined ? {} : { client_msg_id: uuidOf(key) }
  const answer = await api.call('chat.postMessage', bearer(token), { ...fields, ...id })
  return { channel, message: textIn(answer, 'ts') }
}

/** RFC 9562 §5.8: a UUID of our own making. */
function uuidOf(key: string): string {
  const bytes = createHash('sha256').update(key).digest().subarray(0, 16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x80
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function toChannel(entry: unknown) {
  const is = (name: string) => (entry as Record<string, unknown> | null)?.[name] === true
  return {
    id: textIn(entry, 'id'),
    name: textIn(entry, 'name'),
    is_private: is('is_private'),
    is_member: is('is_member'),
  }
}

function isUsable({ id }: { id: string }): boolean {
  return /^[A-Z0-9]{2,40}$/.test(id)
}
