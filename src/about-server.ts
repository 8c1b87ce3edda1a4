import packageJson from '../package.json' with { type: 'json' }
import type { AboutServer } from './capabilities/sessions/browser/browser-sessions.ts'
import type { Settings } from './settings/settings.ts'

/** What is configured, never with what. */
export function aboutServer(settings: Settings): AboutServer {
  const { publicUrl, secondFactor, mail, chat, brokerUrl, aws, feeds, vulnerabilityFeeds } = settings
  return {
    server: { version: packageJson.version, publicUrl, https: publicUrl.startsWith('https:'), secondFactor },
    configured: {
      mail: mail !== undefined,
      chat: chat.clientId !== undefined && chat.clientSecret !== undefined,
      broker: brokerUrl !== undefined,
      aws: aws !== undefined,
      malwareFeeds: feeds.length,
      vulnerabilityFeeds: vulnerabilityFeeds.length,
    },
  }
}
