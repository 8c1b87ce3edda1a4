import { createObjectStore } from '../../outbound/object-store/object-store.ts'
import type { Settings } from '../../settings/settings.ts'
import type { CheckResult } from './machine-checks.ts'

/** Whether packages can be kept where the settings say: an object is written, read and removed there. */
export async function checkObjectStore({ objectStore: bucket, egressAllow }: Settings): Promise<CheckResult[]> {
  if (!bucket) return []
  const part = 'object store'
  const place = `${bucket.url}/${bucket.prefix}`
  const store = createObjectStore({ bucket, allow: egressAllow })
  try {
    await store.probe()
    return [{ part, state: 'ok', detail: `${place} can be written, read and removed from` }]
  } catch (error) {
    const advice =
      'Packages come from their registries meanwhile. Check the settings that begin with GATEHOUSE_S3_, and whether the store has room.'
    return [{ part, state: 'problem', detail: `${place} cannot be used. ${(error as Error).message}`, advice }]
  } finally {
    await store.close()
  }
}
