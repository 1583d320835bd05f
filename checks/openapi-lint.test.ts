import { createConfig, lintFromString } from '@redocly/openapi-core'
import { eventTypes, operationGroups, toOpenApi } from '@signalbox/contract'
import { describe, expect, it } from 'vitest'

const document = toOpenApi(operationGroups, { version: '1.0.0', serverUrl: 'https://signalbox.example' })
type Shown = { description?: string; $ref?: string; name?: string }
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
	Object.entries(item).map(([method, operation]) => ({
		name: `${method} ${path}`,
		operation: operation as {
			parameters?: Shown[]
			security: object[]
			summary: string
			responses: Record<string, object>
		},
	})),
)

async function lint(source: object): Promise<string[]> {
	// The routes for sign-in at a provider answer only with redirects.
	const rules = { 'tag-description': 'off', 'operation-2xx-response': 'off' } as const
	const config = await createConfig({ extends: ['recommended-strict'], rules })
	const problems = await lintFromString({ source: JSON.stringify(source), config })
	return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
}

describe('the OpenAPI document', () => {
	it('passes the strict rules of a public linter', async () => {
		expect(await lint(document)).toEqual([])
	})

	it('would not pass these rules with a mistake', async () => {
		const broken = structuredClone(document)
		Object.assign(broken.paths['/v1/agents'] as object, { get: { responses: {} } })
		expect(await lint(broken)).not.toEqual([])
	})

	it('lists exactly the events that webhooks can receive', () => {
		const sent = Object.keys(eventTypes).filter((type) => !eventTypes[type]?.live)
		expect(Object.keys(document.webhooks)).toEqual(sent)
	})

	it('has a component for the data of every event, as openapi-generator needs it', () => {
		const inline = Object.entries(document.webhooks).filter(
			([, item]) => !/"data":{"\$ref":"[^"]+"}/.test(JSON.stringify(item.post?.requestBody)),
		)
		expect(inline.map(([type]) => type)).toEqual([])
	})

	it('names no security scheme like a schema, as ogen needs it', () => {
		const typeName = (name: string) => name.replaceAll('_', '').toLowerCase()
		const schemas = new Set(Object.keys(document.components.schemas ?? {}).map(typeName))
		const schemes = Object.keys(document.components.securitySchemes ?? {})
		expect(schemes.filter((name) => schemas.has(typeName(name)))).toEqual([])
	})

	it('describes every parameter', () => {
		const silent = operations.flatMap(({ name, operation }) =>
			(operation.parameters ?? [])
				.filter(({ description, $ref }) => !description && !$ref)
				.map((parameter) => `${name}: ${parameter.name}`),
		)
		expect(silent).toEqual([])
	})

	it('has a summary and the expected error statuses for every operation', () => {
		for (const { name, operation } of operations) {
			const statuses = Object.keys(operation.responses)
			expect(statuses, name).toEqual(expect.arrayContaining(['400', '500', '503']))
			if (operation.security.length > 0)
				expect(statuses, name).toEqual(expect.arrayContaining(['401', '403', '429']))
			expect(operation.summary, name).not.toBe('')
		}
	})
})
