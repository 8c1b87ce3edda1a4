export type { FirewallEvent } from './event.ts'
