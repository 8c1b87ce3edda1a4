import { textIn } from '../../outbound/text-in.ts'
import { bearer } from './access.ts'
import type { ChatApi, Fields } from './chat-api.ts'
import type { ChannelPage, SentMessage } from './contract.ts'

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
  return { channels: entries.map(toChannel).filter(isUsable), cursor: textIn(answer.response_metadata, 'next_cursor') }
}

export async function postMessage(api: ChatApi, token: string, channel: string, text: string): Promise<SentMessage> {
  const answer = await api.call('chat.postMessage', bearer(token), { channel, text })
  return { channel, message: textIn(answer, 'ts') }
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
