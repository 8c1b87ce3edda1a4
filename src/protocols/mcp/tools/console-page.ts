import type { Actor } from '../../../kernel/access/actor.ts'

/** The address of a page of the console, for a person. */
export type PageOf = (actor: Actor, path: string) => Promise<string>
