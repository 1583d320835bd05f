import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { takesIdempotencyKey } from './answers.ts'
import { Strict } from './common.ts'
import { toOpenApi } from './openapi.ts'
import { type Operation, operation } from './operation.ts'
import { operationGroups } from './operation-groups.ts'
import { streamedRoutes } from './streamed-routes.ts'

const options = { version: '1.2.3', serverUrl: 'http://box.test' }
const document = toOpenApi(operationGroups, options)

describe('the OpenAPI document', () => {
	test('has every operation once, with a unique id', () => {
		const operations = Object.values(operationGroups).flatMap((group) => Object.values(group))
		const ids = Object.values(document.paths).flatMap((path) =>
			Object.values(path).map((item) => item.operationId),
		)
		expect(ids.toSorted()).toEqual([...operations, ...streamedRoutes].map(({ id }) => id).toSorted())
		expect(new Set(ids).size).toBe(ids.length)
	})

	test('lists each titled schema once, as a component', () => {
		const agent = document.paths['/v1/agents/{id}']?.get as Record<string, never>
		expect(agent.responses).toMatchObject({
			200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Agent' } } } },
		})
		expect(document.components.schemas).toHaveProperty('Agent.properties.uuid')
	})

	test('lets clients send back the document of a GET: its PATCH and PUT know all of its fields', () => {
		const operations = Object.values(operationGroups).flatMap((group): Operation[] => Object.values(group))
		const fieldsOf = (schema: object | null = null) =>
			Object.keys((schema as { properties?: object } | null)?.properties ?? {})
		const unknown = operations
			.filter(({ method }) => method === 'PATCH' || method === 'PUT')
			.flatMap(({ id, path, body }) => {
				const read = operations.find((other) => other.method === 'GET' && other.path === path)
				return fieldsOf(read?.response)
					.filter((name) => !fieldsOf(body).includes(name))
					.map((name) => `${id}: ${name}`)
			})
		// `GET /auth/me` describes the session around the account that its PATCH changes.
		expect(unknown.filter((one) => !one.startsWith('auth.me.update'))).toEqual([])
	})

	test('has no title that client generators also derive from another title and a field', () => {
		type Shape = { properties?: Record<string, object> }
		const schemas = document.components.schemas as Record<string, Shape>
		const made = Object.entries(schemas).flatMap(([title, { properties = {} }]) =>
			Object.entries(properties).flatMap(([field, shape]) =>
				'enum' in shape || 'properties' in shape ? [title + inPascalCase(field)] : [],
			),
		)
		expect(made.filter((name) => name in schemas)).toEqual([])
	})

	test('describes values that contain each other by references', () => {
		const itemsOf = {
			'OtlpArray.properties.values': 'OtlpAnyValue',
			'OtlpKeyValueList.properties.values': 'OtlpKeyValue',
			'Span.properties.events': 'SpanEvent',
			'Span.properties.links': 'SpanLink',
		}
		for (const [list, item] of Object.entries(itemsOf))
			expect(document.components.schemas).toHaveProperty(`${list}.items.$ref`, `#/components/schemas/${item}`)
	})

	test('resolves every reference', () => {
		const references = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)
		for (const [, kind, name] of references)
			expect(document.components[kind as string]).toHaveProperty(name as string)
	})

	test('makes fields with a default optional for the caller', () => {
		const list = document.paths['/v1/agents']?.get as { parameters: { name: string; required: boolean }[] }
		expect(list.parameters.find(({ name }) => name === 'page')?.required).toBe(false)
		const invite = document.paths['/v1/workspaces/{id}/invitations']?.post as {
			requestBody: { content: { 'application/json': { schema: { required: string[] } } } }
		}
		expect(invite.requestBody.content['application/json'].schema.required).toEqual(['email'])
	})

	test('states which credentials a route accepts', () => {
		expect(document.paths['/v1/agents']?.get?.security).toEqual([
			{ user_access_token: [] },
			{ platform_key: [] },
		])
		expect(document.paths['/auth/login']?.post?.security).toEqual([])
	})

	test('refuses two schemas with the same title', () => {
		const titled = (field: string) => Strict({ [field]: Type.String() }, { title: 'Twin' })
		const get = (id: string, field: string) =>
			operation({
				id,
				method: 'GET',
				path: `/${id}`,
				summary: '',
				access: { public: true },
				status: 200,
				response: titled(field),
			})
		expect(() => toOpenApi({ twins: { one: get('one', 'a'), two: get('two', 'b') } }, options)).toThrow(
			'title Twin',
		)
	})
})

function inPascalCase(field: string): string {
	return field.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

test('every answer with a secret that is shown once names its field', () => {
	const hidden = Object.values(operationGroups)
		.flatMap((group): Operation[] => Object.values(group))
		.filter(takesIdempotencyKey)
		.filter(({ response, secrets = [] }) => {
			const { properties = {} } = (response ?? {}) as { properties?: object }
			return ['key', 'token', 'secret', 'link'].some((name) => name in properties && !secrets.includes(name))
		})
	expect(hidden.map(({ id }) => id)).toEqual([])
})

describe('money', () => {
	/** The names of the amounts in every object schema of the document, without their suffixes. */
	const amounts = (end: string) => {
		const found: string[] = []
		const look = (value: unknown, at: string): void => {
			if (typeof value !== 'object' || value === null) return
			const { properties } = value as { properties?: object }
			for (const name of Object.keys(properties ?? {}))
				if (name.endsWith(end) && (end !== '_usd' || !name.endsWith('_nano_usd')))
					found.push(`${at}/${name.slice(0, -end.length)}`)
			for (const [name, inner] of Object.entries(value)) look(inner, `${at}/${name}`)
		}
		look(document, '')
		return found.toSorted()
	}

	test('is always given in nano-dollars and as decimal text', () => {
		expect(amounts('_nano_usd').length).toBeGreaterThan(20)
		expect(amounts('_usd')).toEqual(amounts('_nano_usd'))
	})
})
