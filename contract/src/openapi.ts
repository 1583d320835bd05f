import type { TObject, TSchema } from 'typebox'
import { type Access, type RoleScope, roles, rolesWith } from './access.ts'
import { tokenPrefixes } from './constants.ts'
import {
	headerParameters,
	problemResponses,
	problemSchema,
	responseHeaders,
	toHeaderParameters,
	toResponses,
} from './openapi-answers.ts'
import { createSchemaCollector, type JsonSchema } from './openapi-schemas.ts'
import { toWebhooks, webhookParameters } from './openapi-webhooks.ts'
import type { Operation } from './operation.ts'
import type { OperationGroups } from './operation-groups.ts'
import { parameterTexts } from './parameter-texts.ts'
import { type StreamedRoute, streamedRoutes } from './streamed-routes.ts'

export interface OpenApiDocument {
	openapi: '3.1.0'
	info: { title: string; version: string; description: string; license: { name: string; identifier: string } }
	servers: { url: string }[]
	tags: { name: string }[]
	paths: Record<string, Record<string, JsonSchema>>
	/** The requests that we send, by type of event. */
	webhooks: Record<string, Record<string, JsonSchema>>
	components: Record<string, Record<string, JsonSchema>>
}

type Collector = ReturnType<typeof createSchemaCollector>

const description = `The platform API of Signalbox. Times are RFC 3339 UTC with milliseconds, ids are UUIDv7, money is an
integer number of nano-dollars in a string (\`…_nano_usd\`) with its decimal text beside it (\`…_usd\`). Where a request names
an agent, \`agent_uuid\` and \`agent\` mean the same. Every failure is an RFC 9457 problem with a stable \`code\`; see /docs/errors.

Beside this API the same address serves MCP (\`/mcp\`, \`/mcp/{server}\`), model traffic (\`/proxy/{connection}/…\`),
and OTLP/HTTP (\`/v1/traces\`).`

/** Their names differ from those of all schemas, because ogen (Go) makes a type of each scheme and of each schema. */
const securitySchemes: Record<string, JsonSchema> = {
	user_access_token: {
		type: 'http',
		scheme: 'bearer',
		bearerFormat: 'JWT',
		description: 'The token of POST /auth/login: acts as that person in one workspace.',
	},
	platform_key: {
		type: 'apiKey',
		in: 'header',
		name: 'x-service-api-key',
		description: `A platform API key (${tokenPrefixes.key}…). Also as \`Authorization: Bearer\` or \`x-api-key\`; send exactly one.`,
	},
	agent_key: {
		type: 'apiKey',
		in: 'header',
		name: 'x-api-key',
		description: 'A key bound to one agent, in the same header forms as a platform key.',
	},
	workspace_ingest_token: {
		type: 'http',
		scheme: 'bearer',
		description: 'A write-only token for telemetry (it_service_…).',
	},
}

const schemeOf = {
	user: 'user_access_token',
	platform_key: 'platform_key',
	agent_key: 'agent_key',
	ingest_token: 'workspace_ingest_token',
}

/** The OpenAPI 3.1 document of the operations. It is derived from them, so it cannot differ from what the server does. */
export function toOpenApi(
	groups: OperationGroups,
	{ version, serverUrl }: { version: string; serverUrl: string },
	streams: readonly StreamedRoute[] = streamedRoutes,
): OpenApiDocument {
	const collector = createSchemaCollector()
	const paths: OpenApiDocument['paths'] = {}
	const all = Object.values(groups).flatMap((group) => Object.values(group))
	for (const [tag, group] of Object.entries(groups)) {
		for (const operation of Object.values(group)) {
			paths[operation.path] ??= {}
			Object.assign(paths[operation.path] as object, {
				[operation.method.toLowerCase()]: toPathItem(operation, all, tag, collector),
			})
		}
	}
	for (const route of streams) paths[route.path] = { get: toStreamItem(route, all, collector) }
	const webhooks = toWebhooks(collector)
	return {
		openapi: '3.1.0',
		info: {
			title: 'Signalbox',
			version,
			description,
			license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
		},
		servers: [{ url: serverUrl }],
		tags: Object.keys(groups).map((name) => ({ name })),
		paths,
		webhooks,
		components: {
			schemas: sorted({ ...collector.components, Problem: problemSchema() }),
			responses: problemResponses(all),
			parameters: { ...headerParameters, ...webhookParameters },
			headers: responseHeaders,
			securitySchemes,
		},
	}
}

/** Like an operation, except for the answer, which is text of which only the media type is described. */
function toStreamItem(route: StreamedRoute, all: readonly Operation[], collector: Collector): JsonSchema {
	const { mediaTypes, tag, ...rest } = route
	const item = toPathItem({ ...rest, status: 200, response: null }, all, tag, collector)
	const content = Object.fromEntries(mediaTypes.map((type) => [type, { schema: { type: 'string' } }]))
	const responses = item.responses as Record<string, JsonSchema>
	const { 304: _unchanged, ...others } = responses
	return { ...item, responses: { ...others, 200: { ...others[200], description: 'Success', content } } }
}

function toPathItem(
	operation: Operation,
	all: readonly Operation[],
	tag: string,
	collector: Collector,
): JsonSchema {
	const parameters = [
		...toParameters(operation.params, 'path', collector),
		...toParameters(operation.query, 'query', collector),
		...toHeaderParameters(operation, all),
	]
	return {
		operationId: operation.id,
		tags: [tag],
		summary: operation.summary,
		description: [operation.description, accessText(operation.access)].filter(Boolean).join('\n\n'),
		security: toSecurity(operation.access),
		...(parameters.length > 0 && { parameters }),
		...(operation.body && { requestBody: toRequestBody(operation.body, collector) }),
		responses: toResponses(operation, all, collector),
	}
}

/** The caller may omit a field that has a default, here and in a body, although the handler always receives it. */
function toParameters(
	fields: TObject | undefined,
	place: 'path' | 'query',
	collector: Collector,
): JsonSchema[] {
	const required = new Set((fields?.required as string[] | undefined) ?? [])
	return Object.entries(fields?.properties ?? {}).map(([name, schema]) => ({
		name,
		in: place,
		required: place === 'path' || (required.has(name) && !('default' in schema)),
		description: 'description' in schema ? schema.description : parameterTexts[name],
		schema: collector.project(schema),
	}))
}

function toRequestBody(body: TSchema, collector: Collector): JsonSchema {
	return {
		required: !('~optional' in body),
		content: { 'application/json': { schema: withOptionalDefaults(collector.project(body)) } },
	}
}

function withOptionalDefaults(body: JsonSchema): JsonSchema {
	const { required, properties } = body as { required?: string[]; properties?: Record<string, object> }
	const needed = required?.filter((name) => !('default' in (properties?.[name] ?? {})))
	if (needed?.length === required?.length) return body
	const { required: _, ...rest } = body
	return { ...rest, ...(needed?.length && { required: needed }) }
}

function toSecurity(access: Access): JsonSchema[] {
	return access.public ? [] : access.kinds.map((kind) => ({ [schemeOf[kind]]: [] }))
}

function accessText(access: Access): string {
	if (access.public) return 'Needs no credential.'
	const needs = [
		access.operator && 'a person who is operator of the instance',
		access.roleScope && roleText(access.roleScope),
		access.scope && `a key with the scope \`${access.scope}\``,
	]
	return `Needs ${needs.filter(Boolean).join(', or ')}.`
}

function roleText(scope: RoleScope): string {
	const holders = rolesWith(scope)
	if (holders.length === roles.length) return 'a person of the workspace'
	return `a person with the role ${holders.map((role) => `\`${role}\``).join(' or ')}`
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
	return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
}
