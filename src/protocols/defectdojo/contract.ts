import Type, { type Static, type TSchema } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { Id, NamedObject, named } from '../../kernel/contract/schema.ts'
import { defectDojo } from './protocol.ts'

const field = (description: string, maxLength = 1_000) => Type.Optional(Type.String({ maxLength, description }))
const flag = (description: string) => field(`${description}; true or false`, 10)

/** What clients send besides is not looked at. */
const lenient = { additionalProperties: true } as const

/** The fields of a form. */
export const ScanImport = NamedObject(
  'DefectDojoImport',
  {
    scan_type: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'What wrote the report, for example Trivy Scan',
    }),
    product_type_name: field('Only remembered'),
    product_name: field('Name of the repository'),
    engagement_name: field('Keeps findings of one tool apart from those of other engagements'),
    test_title: field('Keeps findings of one tool apart from those of other tests'),
    engagement: field('Id of the engagement, instead of names', 20),
    test: field('Id of the test, instead of names', 20),
    auto_create_context: flag('Make the repository, engagement and test where there are none'),
    close_old_findings: flag('What was found before and is not in the report is fixed'),
    minimum_severity: field('Raise nothing below it: Info, Low, Medium, High or Critical', 20),
    scan_date: field('Day of the scan, YYYY-MM-DD', 40),
    branch_tag: field('Branch that was scanned; the default branch otherwise', 250),
    commit_hash: field('Commit that was scanned', 64),
    service: field('Keeps findings of one tool apart from those of other services'),
    active: flag('Must not be false: findings are imported as open ones'),
    do_not_reactivate: flag('Must not be true: what is found again is open again'),
  },
  lenient,
)
export type ScanImport = Static<typeof ScanImport>

const Counted = NamedObject('DefectDojoCount', {
  total: Type.Object(
    { total: Type.Integer({ description: 'How many findings' }) },
    { description: 'Of all severities' },
  ),
})

export const Imported = NamedObject('DefectDojoImported', {
  scan_type: Type.String({ description: 'As sent' }),
  test: Type.Integer({ description: 'Id of the test' }),
  test_id: Type.Integer({ description: 'The same' }),
  engagement_id: Type.Integer({ description: 'Id of the engagement' }),
  product_id: Type.Integer({ description: 'Id of the product' }),
  product_type_id: Type.Integer({ description: 'Id of the product type' }),
  product_name: Type.String({ description: 'Name of the repository' }),
  engagement_name: Type.String({ description: 'Name of the engagement' }),
  test_title: Type.String({ description: 'Title of the test' }),
  close_old_findings: Type.Boolean({ description: 'Whether findings could be fixed by it' }),
  deduplication_complete: Type.Boolean({ description: 'Always true: the answer comes when all is done' }),
  scan_id: Type.String({ description: 'Id of the scan here' }),
  statistics: Type.Object(
    {
      delta: Type.Object(
        { created: Counted, reactivated: Counted, closed: Counted, untouched: Counted },
        { description: 'What became of the findings of the report' },
      ),
    },
    { description: 'Counts of findings' },
  ),
})
export type Imported = Static<typeof Imported>

const shared = {
  tag: 'DefectDojo',
  stability: 'beta',
  security: 'token',
  permission: 'scans:write',
  protocol: defectDojo,
} as const

const importFaults = ['validation_failed', 'unknown_repository', 'unprocessable', 'payload_too_large'] as const

export const importScan = endpoint({
  ...shared,
  id: 'defectDojoImportScan',
  summary: 'Import a report',
  description:
    'A full scan of the repository by one report. Nothing is fixed by it unless `close_old_findings` is true.',
  method: 'POST',
  path: '/api/v2/import-scan/',
  params: Type.Object({}),
  body: ScanImport,
  upload: { form: 'fields', files: ['file'] },
  response: Imported,
  faults: importFaults,
})

export const reimportScan = endpoint({
  ...shared,
  id: 'defectDojoReimportScan',
  summary: 'Import a report into a test again',
  description:
    'The same, but that what the test had before and is not in the report is fixed, unless `close_old_findings` is false.',
  method: 'POST',
  path: '/api/v2/reimport-scan/',
  params: Type.Object({}),
  body: ScanImport,
  upload: { form: 'fields', files: ['file'] },
  response: Imported,
  faults: importFaults,
})

const Name = named('DefectDojoName', Type.String({ minLength: 1, maxLength: 300, description: 'Its name' }))
const id = Type.Integer({ description: 'Its id' })

const ProductType = NamedObject('DefectDojoProductType', { id, name: Name })
const Product = NamedObject('DefectDojoProduct', {
  id,
  name: Name,
  prod_type: Type.Integer({ description: 'Id of its product type' }),
})
const Engagement = NamedObject('DefectDojoEngagement', {
  id,
  name: Name,
  product: Type.Integer({ description: 'Id of its product' }),
})
const Test = NamedObject('DefectDojoTest', {
  id,
  title: Name,
  engagement: Type.Integer({ description: 'Id of its engagement' }),
  test_type: Type.Integer({ description: 'Id of its test type' }),
  test_type_name: Type.String({ description: 'Name of its test type' }),
})
const TestType = NamedObject('DefectDojoTestType', { id, name: Name })

const listOf = <T extends TSchema>(one: T) =>
  Type.Object({
    count: Type.Integer({ minimum: 0, description: 'How many there are' }),
    next: Type.Null({ description: 'There are no further pages' }),
    previous: Type.Null({ description: 'There are no further pages' }),
    results: Type.Array(one, { description: 'Those of that name' }),
  })

const lookup = { ...shared, method: 'GET', params: Type.Object({}), faults: ['validation_failed'] } as const
const creation = { ...shared, method: 'POST', params: Type.Object({}), faults: ['validation_failed'] } as const
const wanted = Type.Optional(Type.String({ minLength: 1, maxLength: 300, description: 'Its exact name' }))
const idQuery = (description: string) => Type.Optional(named('DefectDojoId', Type.Integer({ minimum: 1, description })))

export const listProductTypes = endpoint({
  ...lookup,
  id: 'defectDojoListProductTypes',
  summary: 'Look up a product type by its name',
  description: 'Product types are remembered for their ids, and mean nothing here.',
  path: '/api/v2/product_types/',
  query: Type.Object({ name: wanted }, lenient),
  response: listOf(ProductType),
})
export const createProductType = endpoint({
  ...creation,
  id: 'defectDojoCreateProductType',
  summary: 'Make a product type',
  description: 'One that is there already is answered as it is.',
  path: '/api/v2/product_types/',
  body: Type.Object({ name: Name }, lenient),
  response: ProductType,
})
export const listProducts = endpoint({
  ...lookup,
  id: 'defectDojoListProducts',
  summary: 'Look up a product by its name',
  description: 'A product is a repository, which is made by the first import.',
  path: '/api/v2/products/',
  query: Type.Object({ name: wanted }, lenient),
  response: listOf(Product),
})
export const createProduct = endpoint({
  ...creation,
  id: 'defectDojoCreateProduct',
  summary: 'Make a product',
  description: 'One that is there already is answered as it is.',
  path: '/api/v2/products/',
  body: Type.Object({ name: Name, prod_type: Type.Optional(Id) }, lenient),
  response: Product,
  faults: ['validation_failed', 'unknown_repository'],
})
export const listEngagements = endpoint({
  ...lookup,
  id: 'defectDojoListEngagements',
  summary: 'Look up an engagement by its name',
  description: 'In a product.',
  path: '/api/v2/engagements/',
  query: Type.Object({ name: wanted, product: idQuery('Id of its product') }, lenient),
  response: listOf(Engagement),
})
export const createEngagement = endpoint({
  ...creation,
  id: 'defectDojoCreateEngagement',
  summary: 'Make an engagement',
  description: 'One that is there already is answered as it is.',
  path: '/api/v2/engagements/',
  body: Type.Object({ name: Name, product: Id }, lenient),
  response: Engagement,
})
export const updateEngagement = endpoint({
  ...shared,
  id: 'defectDojoUpdateEngagement',
  summary: 'Say what an engagement was about',
  description: 'Taken note of by nobody: which branch and commit were scanned is said with the import.',
  method: 'PATCH',
  path: '/api/v2/engagements/:engagementId/',
  params: Type.Object({ engagementId: Id }),
  body: Type.Object({}, lenient),
  response: Engagement,
  faults: ['not_found'],
})
export const listTests = endpoint({
  ...lookup,
  id: 'defectDojoListTests',
  summary: 'Look up a test by its title',
  description: 'In an engagement.',
  path: '/api/v2/tests/',
  query: Type.Object({ title: wanted, engagement: idQuery('Id of its engagement') }, lenient),
  response: listOf(Test),
})
export const createTest = endpoint({
  ...creation,
  id: 'defectDojoCreateTest',
  summary: 'Make a test',
  description: 'One that is there already is answered as it is.',
  path: '/api/v2/tests/',
  body: Type.Object(
    {
      title: Type.Optional(Name),
      engagement: Id,
      test_type: Type.Integer({ minimum: 1, description: 'Id of its test type' }),
    },
    lenient,
  ),
  response: Test,
})
export const listTestTypes = endpoint({
  ...lookup,
  id: 'defectDojoListTestTypes',
  summary: 'List the kinds of reports that are read',
  description: 'By the names that DefectDojo has for them.',
  path: '/api/v2/test_types/',
  query: Type.Object({ name: wanted }, lenient),
  response: listOf(TestType),
})
export const listEnvironments = endpoint({
  ...lookup,
  id: 'defectDojoListEnvironments',
  summary: 'Look up an environment by its name',
  description: 'Every name is one: environments mean nothing here.',
  path: '/api/v2/development_environments/',
  query: Type.Object({ name: wanted }, lenient),
  response: listOf(TestType),
})
