import { hashPassword } from './password.ts'

/** Where every password that somebody chooses by a link comes through. */
export function hashNewPassword(password: string): Promise<string> {
  return hashPassword(password)
}
