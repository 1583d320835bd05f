import { type Client, type Schemas, take } from '../../../client/index.ts'
import type { EntryOf } from '../file-schema.ts'
import type { Existing, Kind } from './kind.ts'

type Limit = EntryOf<'limits'>

/** What the workspace has set; everything else follows the instance. */
export const limits: Kind<'limits'> = {
	section: 'limits',
	noun: 'limit',
	nameOf: (entry) => entry.class,
	fieldsOf: ({ requests, window_s }) => ({ requests, window_s }),
	read: async ({ client }) => (await ownLimits(client)).map(toExisting),
	toEntry: ({ name, fields }) => ({ class: name, ...fields }) as Limit,
	create: ({ client }, entry) => change(client, entry.class, entry),
	update: ({ client }, _existing, entry) => change(client, entry.class, entry),
	remove: ({ client }, { name }) => change(client, name, null),
}

/** The API takes all of them at once. */
async function change(client: Client, name: string, entry: Limit | null): Promise<void> {
	const others = (await ownLimits(client)).filter((limit) => limit.class !== name)
	await client.PUT('/v1/limits', { body: { limits: [...others, ...(entry ? [entry] : [])] } })
}

async function ownLimits(client: Client): Promise<Schemas['Limit'][]> {
	const { limits: all } = await take(client.GET('/v1/limits'))
	return all.filter(({ source }) => source === 'workspace')
}

function toExisting({ class: name, requests, window_s }: Schemas['Limit']): Existing {
	return { id: name, name, fields: { requests, window_s } }
}
