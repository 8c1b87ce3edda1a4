import { hashPassword } from './password.ts'
import { type About, refuseWeakPassword } from './weak-password.ts'

/** Where every password that somebody chooses by a link comes through. */
export function hashNewPassword(password: string, about: About): Promise<string> {
  refuseWeakPassword(password, about, '/password')
  return hashPassword(password)
}
