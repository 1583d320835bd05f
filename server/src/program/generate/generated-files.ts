import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type OpenApiDocument, operationGroups, problems, toOpenApi } from '@signalbox/contract'
import { readGenaiPrices, renderPriceBook } from '../../ledger/prices/import-genai-prices.ts'
import { renderConfigurationPage } from './configuration-page.ts'
import { type ClientDocument, renderPythonClient } from './python-client.ts'

/** The part of openapi-typescript that is used; it lives in the dashboard because it needs TypeScript 5. */
interface OpenApiTypescript {
	default(document: OpenApiDocument): Promise<unknown>
	astToString(nodes: unknown): string
}

const dashboardPackage = fileURLToPath(new URL('../../../../dashboard/package.json', import.meta.url))

/** Every committed file that is made from the contract or a pinned package, by its path from the root of the repository. */
export async function generatedFiles(): Promise<Record<string, string>> {
	const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
	const document = toOpenApi(operationGroups, { version, serverUrl: 'http://127.0.0.1:7777' })
	return {
		'docs/openapi.json': `${linePerEntry(document, 3)}\n`,
		'docs/errors.md': errorsPage(),
		'docs/configuration.md': renderConfigurationPage(),
		'contract/src/api.gen.ts': await clientTypes(document),
		'sdk/python/src/signalbox_sdk/management/api.py': renderPythonClient(
			document as unknown as ClientDocument,
		),
		'server/src/ledger/prices/genai-prices.gen.json': renderPriceBook(readGenaiPrices()),
	}
}

function errorsPage(): string {
	const rows = Object.entries(problems).map(
		([code, { status, title, remedy }]) =>
			`| <a id="${code}"></a>\`${code}\` | ${status} | ${title} | ${remedy} |`,
	)
	return `# Errors

Every failure of the platform API is an \`application/problem+json\` document (RFC 9457) whose \`code\` is one of these.
This page is made from \`contract/src/problems.ts\` by \`npm run generate\`.

| code | status | meaning | what to do |
|---|---|---|---|
${rows.join('\n')}
`
}

async function clientTypes(document: OpenApiDocument): Promise<string> {
	const { default: toTypes, astToString }: OpenApiTypescript =
		createRequire(dashboardPackage)('openapi-typescript')
	// What we send needs no types in a client, and would double the file.
	const called = { ...structuredClone(document), webhooks: {} }
	return `// Made from the contract by \`npm run generate\`.\n\n${typePerLine(astToString(await toTypes(called)))}`
}

/** JSON with a line for each operation and each schema: a change of the contract is a small diff. */
function linePerEntry(value: unknown, levels: number): string {
	if (levels === 0 || typeof value !== 'object' || value === null || Array.isArray(value))
		return JSON.stringify(value)
	const entries = Object.entries(value).map(
		([key, entry]) => `${JSON.stringify(key)}:${linePerEntry(entry, levels - 1)}`,
	)
	return entries.length === 0 ? '{}' : `{\n${entries.join(',\n')}\n}`
}

/** Of a line of a comment, without what only the beginning of a line can say. */
function withoutMarks(word: string): string {
	return word === '*/' ? word : word.replace(/^\*\s*/, '').replace(/^@description /, '– ')
}

const closing = /^[}\])]/

/** The same for types: what is deeper than an operation or a schema goes on in its line, comments included. */
function typePerLine(text: string): string {
	const lines: string[] = []
	let kept = 0
	for (const line of text.split('\n')) {
		const word = line.trim()
		if (word === '') continue
		const depth = line.search(/\S/) / 4
		if (depth === 0) kept = line.includes('interface components') ? 2 : 1
		// A comment's second line is a column further in than its first.
		const goesOn = depth > kept || (depth === kept && closing.test(word))
		if (goesOn) lines.push(`${lines.pop()} ${withoutMarks(word)}`)
		else lines.push(`${'\t'.repeat(depth)}${word}`)
	}
	return `${lines.join('\n')}\n`
}
