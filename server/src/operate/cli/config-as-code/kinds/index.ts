import { type Client, type Schemas, unwrap } from '../../../client/client.ts'
import { readAll } from '../../find.ts'
import type { EntryOf, Section } from '../file-schema.ts'
import { agents, grants, toolsets } from './agents-and-grants.ts'
import { type Context, type ExistingObject, type Kind, once, withoutSpelling } from './kind.ts'
import { connections, servers } from './servers.ts'

type Limit = EntryOf<'limits'>

/** The API does not keep a limit that is equal to the one of the instance, so those are read too. */
const limits: Kind<'limits'> = {
	section: 'limits',
	noun: 'limit',
	nameOf: (entry) => entry.class,
	fieldsOf: ({ requests, window_s }) => ({ requests, window_s }),
	read: async ({ client }) => (await allLimits(client)).map(toExisting),
	toEntry: ({ name, fields }) => ({ class: name, ...fields }) as Limit,
	create: ({ client }, entry) => change(client, entry.class, entry),
	update: ({ client }, _existing, entry) => change(client, entry.class, entry),
	remove: ({ client }, { name }) => change(client, name, null),
}

/** The API replaces all of them at once. */
async function change(client: Client, name: string, entry: Limit | null): Promise<void> {
	const others = (await ownLimits(client)).filter((limit) => limit.class !== name)
	await client.PUT('/v1/limits', { body: { limits: [...others, ...(entry ? [entry] : [])] } })
}

async function ownLimits(client: Client): Promise<Schemas['Limit'][]> {
	return (await allLimits(client)).filter(({ source }) => source === 'workspace')
}

async function allLimits(client: Client): Promise<Schemas['Limit'][]> {
	return (await unwrap(client.GET('/v1/limits'))).limits
}

function toExisting({ class: name, requests, window_s, source }: Schemas['Limit']): ExistingObject {
	return { id: name, name, fields: { requests, window_s }, isDefault: source !== 'workspace' }
}

type WebhookEntry = EntryOf<'webhooks'>
type Events = Schemas['Webhook']['events']

/**
 * Identified by URL; if several have the same, the oldest counts. Chats are left out, because their URL is a secret that cannot be
 * read back.
 */
const webhooks: Kind<'webhooks'> = {
	section: 'webhooks',
	noun: 'webhook',
	nameOf: ({ url }) => withoutSpelling(url),
	fieldsOf: ({ events, description = '', enabled = true }) => ({
		events: [...events].sort(),
		description,
		enabled,
	}),
	read: async ({ client }) => {
		const found = await readAll(async (page) => {
			const query = { ...page, sort: 'created_at', order: 'asc' } as const
			const { webhooks: items, pagination } = await unwrap(client.GET('/v1/webhooks', { params: { query } }))
			return { items, pagination }
		})
		const signed = found.filter(({ format }) => format === 'standard')
		const first = signed.filter(({ url }, index) => signed.findIndex((each) => each.url === url) === index)
		return first.map(toExistingWebhook)
	},
	toEntry: ({ name: url, fields }) => {
		const { events, description, enabled } = fields as Omit<WebhookEntry, 'url'>
		return { url, events, ...(description !== '' && { description }), ...(!enabled && { enabled }) }
	},
	create: async (context, entry) => {
		const body = { url: entry.url, ...contentOf(entry) }
		const made = await unwrap(context.client.POST('/v1/webhooks', { body, headers: once(context) }))
		noteSecret(context, made)
	},
	update: async ({ client }, { id }, entry) => {
		const params = { path: { id } }
		await client.PATCH('/v1/webhooks/{id}', { params, body: contentOf(entry) })
	},
	remove: async ({ client }, { id }) =>
		void (await client.DELETE('/v1/webhooks/{id}', { params: { path: { id } } })),
}

/** The API validates the names of events. */
function contentOf({ events, description = '', enabled = true }: WebhookEntry) {
	return { events: events as never, description, enabled }
}

function noteSecret({ shownOnce }: Context, { url, secret }: Schemas['NewWebhook']): void {
	if (secret !== undefined) shownOnce.push({ section: 'webhooks', name: url, secret })
}

function toExistingWebhook({ id, url, events, description, enabled }: Schemas['Webhook']): ExistingObject {
	const sorted: Events = events.toSorted()
	return { id, name: url, fields: { events: sorted, description, enabled } }
}

export const kinds: { [S in Section]: Kind<S> } = {
	connections,
	servers,
	agents,
	toolsets,
	grants,
	webhooks,
	limits,
}
