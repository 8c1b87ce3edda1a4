import { withAnswer } from '../../kernel/contract/answer.ts'
import type { Api } from '../../kernel/contract/api.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { ContextRow } from './context-store.ts'
import { type Contexts, createContexts, invalid } from './contexts.ts'
import * as contract from './contract.ts'
import { createImport, type ImportParts } from './import-scan.ts'
import { findScanType, scanTypes } from './scan-types.ts'

export function defectDojoRoutes(api: Api, parts: Omit<ImportParts, 'contexts'> & { db: Database }): void {
  const contexts = createContexts(parts.db)
  const importReport = createImport({ ...parts, contexts })
  api.serve(contract.importScan, async ({ actor, body, files }) =>
    created(await importReport(actor, body, files, false)),
  )
  api.serve(contract.reimportScan, async ({ actor, body, files }) =>
    created(await importReport(actor, body, files, true)),
  )
  serveLookups(api, contexts)
}

function serveLookups(api: Api, contexts: Contexts): void {
  api.serve(contract.listProductTypes, async ({ actor, query }) =>
    page((await contexts.listProductTypes(actor, given('name', query.name))).map(plain)),
  )
  api.serve(contract.createProductType, async ({ actor, body }) =>
    created(plain(await contexts.ensureProductType(actor, body.name))),
  )
  api.serve(contract.listProducts, async ({ actor, query }) =>
    page((await contexts.listProducts(actor, given('name', query.name))).map(product)),
  )
  api.serve(contract.createProduct, async ({ actor, body }) =>
    created(product(await contexts.ensureProduct(actor, body.name, body.prod_type))),
  )
  api.serve(contract.listEngagements, async ({ actor, query }) => {
    const found = contexts.listEngagements(actor, given('product', query.product), given('name', query.name))
    return page((await found).map(engagement))
  })
  api.serve(contract.createEngagement, async ({ actor, body }) =>
    created(engagement(await contexts.ensureEngagement(actor, body.product, body.name))),
  )
  api.serve(contract.updateEngagement, async ({ actor, params }) =>
    engagement(await contexts.getEngagement(actor, params.engagementId)),
  )
  api.serve(contract.listTests, async ({ actor, query }) => {
    const found = contexts.listTests(actor, given('engagement', query.engagement), given('title', query.title))
    return page((await found).map(test))
  })
  api.serve(contract.createTest, async ({ actor, body }) =>
    created(test(await contexts.ensureTest(actor, body.engagement, body.test_type, body.title ?? ''))),
  )
  api.serve(contract.listTestTypes, ({ query }) =>
    page(
      scanTypes
        .filter(({ name }) => query.name === undefined || name === query.name)
        .map(({ id, name }) => ({ id, name })),
    ),
  )
  api.serve(contract.listEnvironments, ({ query }) => page([{ id: 1, name: query.name ?? 'Development' }]))
}

function created<T>(body: T): T {
  return withAnswer({ status: 201, body })
}

function page<T>(results: T[]) {
  return { count: results.length, next: null, previous: null, results }
}

function given<T>(field: string, value: T | undefined): T {
  if (value === undefined) throw invalid(field, `Only lookups are served: say ${field}.`)
  return value
}

const plain = ({ id, name }: ContextRow) => ({ id, name })
const product = ({ id, name, productTypeId }: ContextRow) => ({ id, name, prod_type: productTypeId })
const engagement = ({ id, name, parentId }: ContextRow) => ({ id, name, product: parentId })

function test({ id, name, parentId, scanType }: ContextRow) {
  return {
    id,
    title: name,
    engagement: parentId,
    test_type: findScanType(scanType)?.id ?? 0,
    test_type_name: scanType,
  }
}
