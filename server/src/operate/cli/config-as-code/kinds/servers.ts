import { type Schemas, unwrap } from '../../../client/client.ts'
import { listServers, readAll } from '../../find.ts'
import type { EntryOf } from '../file-schema.ts'
import type { ReferenceTo } from '../secrets.ts'
import {
	type Context,
	type ExistingObject,
	type Kind,
	once,
	withoutSpelling,
	withoutUndefined,
} from './kind.ts'

type ServerEntry = EntryOf<'servers'>

export const servers: Kind<'servers'> = {
	section: 'servers',
	noun: 'server',
	nameOf: ({ slug }) => slug,
	fieldsOf: (entry) => ({
		name: entry.name ?? entry.slug,
		description: entry.description ?? '',
		...(entry.command === undefined
			? { url: entry.url, status: entry.status ?? 'active' }
			: { command: entry.command, args: entry.args ?? [] }),
		configuration: entry.configuration ?? {},
		call_limits: entry.call_limits ?? {},
		...shownBy(entry),
		definition_policy: entry.definition_policy,
		headers: entry.headers && Object.keys(entry.headers).map(lower).sort(),
		env: entry.env && Object.keys(entry.env).sort(),
	}),
	secretFields: ['headers', 'env'],
	read: async ({ client }) => (await listServers(client)).map(toExisting),
	toEntry: ({ name: slug, fields }, referenceTo) => {
		const { name, description, url, command, args, status, configuration, call_limits } = fields
		const { definition_policy } = fields
		return {
			slug,
			...(name !== slug && { name }),
			...(description !== '' && { description }),
			...(command === undefined ? { url } : { command, ...((args as string[]).length > 0 && { args }) }),
			...(status === 'inactive' && { status }),
			...(Object.keys(configuration as object).length > 0 && { configuration }),
			...(Object.keys(call_limits as object).length > 0 && { call_limits }),
			...whatIsSet(fields),
			definition_policy,
			...references(referenceTo, 'headers', slug, fields.headers as string[]),
			...references(referenceTo, 'env', slug, fields.env as string[]),
		} as ServerEntry
	},
	create: async (context, entry) => {
		const { slug, status } = entry
		const body = { slug, name: entry.name ?? slug, ...contentOf(entry), ...filled(context, entry) }
		const made = await unwrap(context.client.POST('/v1/mcp/servers', { body, headers: once(context) }))
		if (status === 'inactive') await patch(context, made.id, { status })
	},
	update: async (context, { id }, entry, changed) => {
		const secrets = needsSecrets(changed) ? filled(context, entry) : {}
		const status = changed.has('status') ? { status: entry.status ?? ('active' as const) } : {}
		await patch(context, id, { name: entry.name ?? entry.slug, ...contentOf(entry), ...status, ...secrets })
	},
	remove: async ({ client }, { id }) => {
		const params = { path: { id }, query: { force: true } }
		await client.DELETE('/v1/mcp/servers/{id}', { params })
	},
	secretsFor: ({ headers, env }, changed) =>
		changed === null || needsSecrets(changed) ? Object.values({ ...headers, ...env }) : [],
	refusal: ({ fields }, { command }) =>
		(fields.command === undefined) === (command === undefined)
			? null
			: 'cannot turn from an address into a program or back; delete it first',
}

/** A change of the URL may delete the stored headers, so they are sent with it. */
function needsSecrets(changed: ReadonlySet<string>): boolean {
	return ['headers', 'env', 'url'].some((field) => changed.has(field))
}

function contentOf(entry: ServerEntry) {
	const { description = '', url, command, args, configuration = {}, call_limits = {} } = entry
	const program = command === undefined ? {} : { command, args: args ?? [] }
	const content = { description, configuration, call_limits, ...shownBy(entry) }
	return { ...content, ...program, ...withoutUndefined({ url, definition_policy: entry.definition_policy }) }
}

/** How the server appears to agents. */
function shownBy({ max_result_bytes, tool_prefix, tool_aliases }: ServerEntry) {
	return {
		max_result_bytes: max_result_bytes ?? null,
		tool_prefix: tool_prefix ?? null,
		tool_aliases: tool_aliases ?? {},
	}
}

/** The same, without fields that have their default. */
function whatIsSet({ max_result_bytes, tool_prefix, tool_aliases }: Record<string, unknown>) {
	return {
		...(max_result_bytes !== null && { max_result_bytes }),
		...(tool_prefix !== null && { tool_prefix }),
		...(Object.keys(tool_aliases as object).length > 0 && { tool_aliases }),
	}
}

function filled({ secrets }: Context, { headers, env }: ServerEntry) {
	return withoutUndefined({ headers: headers && secrets.fillAll(headers), env: env && secrets.fillAll(env) })
}

async function patch({ client }: Context, id: string, body: object): Promise<void> {
	await client.PATCH('/v1/mcp/servers/{id}', { params: { path: { id } }, body })
}

function toExisting(server: Schemas['McpServerSummary']): ExistingObject {
	const { id, slug, name, description, command, args, header_names, env_names } = server
	const { configuration, call_limits, max_result_bytes, tool_prefix, tool_aliases, definition_policy } =
		server
	const shown = { max_result_bytes, tool_prefix, tool_aliases, definition_policy }
	const target =
		command === null
			? { url: server.endpoint_url, status: server.status === 'inactive' ? 'inactive' : 'active' }
			: { command, args }
	const content = { configuration, call_limits, ...shown, headers: header_names, env: env_names }
	const fields = { name, description, ...target, ...content }
	return { id, name: slug, fields }
}

function references(referenceTo: ReferenceTo, field: string, slug: string, names: readonly string[]) {
	if (names.length === 0) return {}
	return { [field]: Object.fromEntries(names.map((name) => [name, referenceTo(field, slug, name)])) }
}

function lower(name: string): string {
	return name.toLowerCase()
}

export const connections: Kind<'connections'> = {
	section: 'connections',
	noun: 'connection',
	nameOf: ({ name }) => name,
	fieldsOf: ({ provider, base_url, priced_as, key, record_bodies, inject_usage }) => ({
		...{ provider, priced_as: priced_as ?? null, key: key && 'stored', record_bodies, inject_usage },
		base_url: base_url && withoutSpelling(base_url).replace(/\/+$/, ''),
	}),
	secretFields: ['key'],
	read: async ({ client }) => {
		const found = await readAll(async (query) => {
			const { provider_keys, pagination } = await unwrap(
				client.GET('/v1/provider-keys', { params: { query } }),
			)
			return { items: provider_keys, pagination }
		})
		return found.map(toExistingConnection)
	},
	toEntry: ({ name, fields }, referenceTo) => ({
		name,
		provider: fields.provider as Schemas['ProviderKey']['provider'],
		base_url: String(fields.base_url),
		...(fields.priced_as !== null && { priced_as: fields.priced_as as Schemas['ProviderKey']['vendor'] }),
		record_bodies: fields.record_bodies === true,
		inject_usage: fields.inject_usage === true,
		...(fields.key === 'stored' && { key: referenceTo('key', name, 'key') }),
	}),
	create: async (context, { name, provider, key = '', ...entry }) => {
		const body = { name, provider, key: context.secrets.fill(key), ...settingsOf(entry) }
		await context.client.POST('/v1/provider-keys', { body, headers: once(context) })
	},
	update: async ({ client, secrets }, { id }, { key, ...entry }, changed) => {
		const body = {
			...settingsOf(entry),
			...(key !== undefined && changed.size > 0 && { key: secrets.fill(key) }),
		}
		await client.PATCH('/v1/provider-keys/{id}', { params: { path: { id } }, body })
	},
	remove: async ({ client }, { id }) =>
		void (await client.DELETE('/v1/provider-keys/{id}', { params: { path: { id } } })),
	secretsFor: ({ key }) => (key === undefined ? [] : [key]),
	hasOtherSecret: ({ fields }, { key }, secrets) => {
		const value = key === undefined ? null : secrets.tryFill(key)
		return value !== null && fields.last4 !== null && value.slice(-4) !== fields.last4
	},
	refusal: ({ fields }, { provider }) =>
		fields.provider === provider ? null : 'is at another provider; delete it first',
}

function settingsOf(entry: Omit<EntryOf<'connections'>, 'name' | 'provider' | 'key'>) {
	const { priced_as = null, base_url, record_bodies, inject_usage } = entry
	return { priced_as, ...withoutUndefined({ base_url, record_bodies, inject_usage }) }
}

function toExistingConnection({
	id,
	name,
	provider,
	base_url,
	priced_as,
	record_bodies,
	inject_usage,
	status,
	last4,
}: Schemas['ProviderKey']): ExistingObject {
	const key = status === 'active' ? 'stored' : 'missing'
	return { id, name, fields: { provider, base_url, priced_as, record_bodies, inject_usage, key, last4 } }
}
