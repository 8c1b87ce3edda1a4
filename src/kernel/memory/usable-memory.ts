import { totalmem } from 'node:os'

/** Memory this machine, or the container around us, really has. */
export function usableMemory(total = totalmem(), constrained = process.constrainedMemory()): number {
  return constrained > 0 ? Math.min(total, constrained) : total
}
