import { anything, flag, listOf, object, oneOf, text } from '../sbom/shape.ts'

/* The objects of SPDX 2.2 and 2.3 in JSON, both versions in one. What `conformity.ts` counts itself is `anything` here. */

const annotation = object({
  'annotationDate!': text,
  'annotationType!': oneOf('OTHER REVIEW'),
  'annotator!': text,
  'comment!': text,
})

const checksum = object({
  'algorithm!': oneOf(
    'SHA1 SHA224 SHA256 SHA384 SHA512 SHA3-256 SHA3-384 SHA3-512 BLAKE2b-256 BLAKE2b-384 BLAKE2b-512 BLAKE3 MD2 MD4 MD5 ' +
      'MD6 ADLER32',
  ),
  'checksumValue!': text,
})

const externalReference = object({
  comment: text,
  'referenceCategory!': oneOf('OTHER SECURITY PACKAGE_MANAGER PACKAGE-MANAGER PERSISTENT_ID PERSISTENT-ID'),
  'referenceLocator!': text,
  'referenceType!': text,
})

export const spdxPackage = object({
  SPDXID: text,
  annotations: listOf(annotation),
  attributionTexts: listOf(text),
  builtDate: text,
  checksums: listOf(checksum),
  comment: text,
  copyrightText: text,
  description: text,
  downloadLocation: text,
  externalRefs: listOf(externalReference),
  filesAnalyzed: flag,
  hasFiles: listOf(text),
  homepage: text,
  licenseComments: text,
  licenseConcluded: text,
  licenseDeclared: text,
  licenseInfoFromFiles: listOf(text),
  name: text,
  originator: text,
  packageFileName: text,
  packageVerificationCode: object({
    packageVerificationCodeExcludedFiles: listOf(text),
    'packageVerificationCodeValue!': text,
  }),
  primaryPackagePurpose: oneOf(
    'OTHER INSTALL ARCHIVE FIRMWARE APPLICATION FRAMEWORK LIBRARY CONTAINER SOURCE DEVICE OPERATING_SYSTEM ' +
      'OPERATING-SYSTEM FILE',
  ),
  releaseDate: text,
  sourceInfo: text,
  summary: text,
  supplier: text,
  validUntilDate: text,
  versionInfo: text,
})

export const relationship = object({
  spdxElementId: text,
  comment: text,
  'relatedSpdxElement!': text,
  'relationshipType!': oneOf(
    'AMENDS ANCESTOR_OF BUILD_DEPENDENCY_OF BUILD_TOOL_OF CONTAINED_BY CONTAINS COPY_OF DATA_FILE_OF DEPENDENCY_MANIFEST_OF ' +
      'DEPENDENCY_OF DEPENDS_ON DESCENDANT_OF DESCRIBED_BY DESCRIBES DEV_DEPENDENCY_OF DEV_TOOL_OF DISTRIBUTION_ARTIFACT ' +
      'DOCUMENTATION_OF DYNAMIC_LINK EXAMPLE_OF EXPANDED_FROM_ARCHIVE FILE_ADDED FILE_DELETED FILE_MODIFIED ' +
      'GENERATED_FROM GENERATES HAS_PREREQUISITE METAFILE_OF OPTIONAL_COMPONENT_OF OPTIONAL_DEPENDENCY_OF OTHER ' +
      'PACKAGE_OF PATCH_APPLIED PATCH_FOR PREREQUISITE_FOR PROVIDED_DEPENDENCY_OF REQUIREMENT_DESCRIPTION_FOR ' +
      'RUNTIME_DEPENDENCY_OF SPECIFICATION_FOR STATIC_LINK TEST_CASE_OF TEST_DEPENDENCY_OF TEST_OF TEST_TOOL_OF ' +
      'VARIANT_OF',
  ),
})

const creationInfo = object({
  comment: text,
  'created!': text,
  'creators!': listOf(text),
  licenseListVersion: text,
})

/** What a document itself may hold; `anything` is not looked into. */
export const documentFields = new Map(
  Object.entries({
    SPDXID: text,
    annotations: listOf(annotation),
    comment: text,
    creationInfo,
    dataLicense: text,
    name: text,
    documentNamespace: text,
    documentDescribes: listOf(text),
    externalDocumentRefs: listOf(object({ 'externalDocumentId!': text, 'spdxDocument!': text, 'checksum!': checksum })),
    spdxVersion: anything,
    hasExtractedLicensingInfos: anything,
    packages: anything,
    files: anything,
    snippets: anything,
    relationships: anything,
    revieweds: anything,
  }),
)
