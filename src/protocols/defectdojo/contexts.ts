import { findNamed, mayClaim } from '../../capabilities/repositories/public.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import { Fault, type FieldError } from '../../kernel/contract/fault.ts'
import { RepositoryName } from '../../kernel/contract/schema.ts'
import { validate } from '../../kernel/contract/validate.ts'
import type { Database, Queryable } from '../../kernel/database/database.ts'
import * as store from './context-store.ts'
import { findScanType, type ScanType, scanTypes } from './scan-types.ts'

const noProductType = 'Research and Development'

/** Where a report belongs: each by its row. */
export type ImportContext = {
  product: store.ContextRow
  engagement: store.ContextRow
  test: store.ContextRow
  productTypeId: number
}

/** What an import says of where it belongs. */
export type WantedContext = {
  scanType: ScanType
  productTypeName: string
  productName: string
  engagementName: string
  testTitle: string
  engagementId: number
  testId: number
  /** Make what is not there. */
  create: boolean
  /** Into a test that is there, where nothing may be made. */
  again: boolean
}

export type Contexts = ReturnType<typeof createContexts>

/** The numbers by which clients of DefectDojo know things. */
export function createContexts(db: Database) {
  /** All below a product is for those who see its repository, or could make it by an upload. */
  async function requireProduct(read: Queryable, actor: Actor, id: number): Promise<store.ContextRow> {
    const product = await store.find(read, 'product', id)
    if (!product || !(await mayUse(read, actor, product.name))) throw invalid('product', `There is no product ${id}.`)
    return product
  }

  async function requireEngagement(read: Queryable, actor: Actor, id: number): Promise<store.ContextRow> {
    const engagement = await store.find(read, 'engagement', id)
    if (!engagement) throw invalid('engagement', `There is no engagement ${id}.`)
    await requireProduct(read, actor, engagement.parentId)
    return engagement
  }

  async function listProducts(actor: Actor, name: string): Promise<store.ContextRow[]> {
    const read = db.as(actor)
    return (await mayUse(read, actor, name)) ? store.listNamed(read, 'product', 0, name) : []
  }

  async function listEngagements(actor: Actor, productId: number, name: string): Promise<store.ContextRow[]> {
    const { id } = await requireProduct(db.as(actor), actor, productId)
    return store.listNamed(db.as(actor), 'engagement', id, name)
  }

  async function listTests(actor: Actor, engagementId: number, title: string): Promise<store.ContextRow[]> {
    const { id } = await requireEngagement(db.as(actor), actor, engagementId)
    return store.listNamed(db.as(actor), 'test', id, title)
  }

  function ensureProductType(actor: Actor, name: string): Promise<store.ContextRow> {
    return db.transaction(actor, (tx) => store.ensure(tx, { kind: 'product_type', name }))
  }

  function ensureProduct(actor: Actor, name: string, productTypeId?: number): Promise<store.ContextRow> {
    return db.transaction(actor, async (tx) => {
      await requireUsable(tx, actor, name)
      const typeId = productTypeId ?? (await store.ensure(tx, { kind: 'product_type', name: noProductType })).id
      return store.ensure(tx, { kind: 'product', name, productTypeId: typeId })
    })
  }

  function ensureEngagement(actor: Actor, productId: number, name: string): Promise<store.ContextRow> {
    return db.transaction(actor, async (tx) => {
      const { id } = await requireProduct(tx, actor, productId)
      return store.ensure(tx, { kind: 'engagement', parentId: id, name })
    })
  }

  function ensureTest(actor: Actor, engagementId: number, typeId: number, title: string): Promise<store.ContextRow> {
    return db.transaction(actor, async (tx) => {
      const { id } = await requireEngagement(tx, actor, engagementId)
      const type = scanTypes.find((one) => one.id === typeId)
      if (!type) throw invalid('test_type', `There is no test type ${typeId}.`)
      return store.ensure(tx, { kind: 'test', parentId: id, name: title || type.name, scanType: type.name })
    })
  }

  function getEngagement(actor: Actor, id: number): Promise<store.ContextRow> {
    return requireEngagement(db.as(actor), actor, id)
  }

  /** By ids or by names; made where it is not there and may be made. */
  function resolve(actor: Actor, wanted: WantedContext): Promise<ImportContext> {
    return db.transaction(actor, async (tx) => {
      const { scanType, testTitle, create, again } = wanted
      if (wanted.testId > 0) {
        const test = await store.find(tx, 'test', wanted.testId)
        if (!test) throw invalid('test', `There is no test ${wanted.testId}.`)
        if (test.scanType !== scanType.name) {
          throw invalid('scan_type', `The test ${test.id} is of ${test.scanType}, not of ${scanType.name}.`)
        }
        const engagement = await requireEngagement(tx, actor, test.parentId)
        return whole(await requireProduct(tx, actor, engagement.parentId), engagement, test)
      }
      const { product, engagement } = await resolveEngagement(wanted)
      const title = testTitle || scanType.name
      const known = (await store.listNamed(tx, 'test', engagement.id, title)).find(isOf(scanType))
      if (!known && again && !create) throw missing('test_title', `test '${title}' in engagement '${engagement.name}'`)
      const made = { kind: 'test', parentId: engagement.id, name: title, scanType: scanType.name } as const
      return whole(product, engagement, known ?? (await store.ensure(tx, made)))

      async function resolveEngagement({ engagementId, engagementName, productName, productTypeName }: WantedContext) {
        if (engagementId > 0) {
          const found = await requireEngagement(tx, actor, engagementId)
          return { engagement: found, product: await requireProduct(tx, actor, found.parentId) }
        }
        if (productName === '') throw invalid('product_name', 'Say product_name and engagement_name, or an id.')
        if (engagementName === '') throw invalid('engagement_name', 'Say engagement_name, or the id of an engagement.')
        await requireUsable(tx, actor, productName)
        const [knownProduct] = await store.listNamed(tx, 'product', 0, productName)
        if (!knownProduct && !create) throw missing('product_name', `product '${productName}'`)
        const typeName = productTypeName || noProductType
        const productTypeId =
          knownProduct?.productTypeId ?? (await store.ensure(tx, { kind: 'product_type', name: typeName })).id
        const product = knownProduct ?? (await store.ensure(tx, { kind: 'product', name: productName, productTypeId }))
        const [found] = await store.listNamed(tx, 'engagement', product.id, engagementName)
        if (!found && !create) throw missing('engagement_name', `engagement '${engagementName}' in '${productName}'`)
        const made = { kind: 'engagement', parentId: product.id, name: engagementName } as const
        return { product, engagement: found ?? (await store.ensure(tx, made)) }
      }
    })
  }

  return {
    listProductTypes: (actor: Actor, name: string) => store.listNamed(db.as(actor), 'product_type', 0, name),
    listProducts,
    listEngagements,
    listTests,
    ensureProductType,
    ensureProduct,
    ensureEngagement,
    ensureTest,
    getEngagement,
    resolve,
  }
}

async function mayUse(db: Queryable, actor: Actor, name: string): Promise<boolean> {
  return (await findNamed(db, actor, name)) !== undefined || mayClaim(db, actor, name)
}

/** The words of an upload that names a repository which the actor does not see. */
async function requireUsable(db: Queryable, actor: Actor, name: string): Promise<void> {
  const errors: FieldError[] = []
  validate(RepositoryName, name, '/product_name', errors)
  if (errors.length > 0) throw new Fault('validation_failed', 'This cannot be the name of a repository.', { errors })
  if (!(await mayUse(db, actor, name))) throw invalid('product_name', `There is no repository '${name}'.`)
}

function whole(product: store.ContextRow, engagement: store.ContextRow, test: store.ContextRow): ImportContext {
  return { product, engagement, test, productTypeId: product.productTypeId }
}

function isOf(scanType: ScanType) {
  return (test: store.ContextRow) => findScanType(test.scanType)?.id === scanType.id
}

function missing(field: string, what: string): Fault {
  return invalid(field, `There is no ${what}. Send auto_create_context=true to have it made.`)
}

export function invalid(field: string, detail: string): Fault {
  return new Fault('validation_failed', detail, { errors: [{ pointer: `/${field}`, detail }] })
}
