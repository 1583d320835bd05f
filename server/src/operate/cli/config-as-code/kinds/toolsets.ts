import { type Schemas, take } from '../../../client/index.ts'
import { listToolsets } from '../../find.ts'
import type { EntryOf } from '../file-schema.ts'
import { type Context, idOf, type Kind, once } from './kind.ts'

type ToolsetEntry = EntryOf<'toolsets'>
type Tools = NonNullable<ToolsetEntry['tools']>

export const toolsets: Kind<'toolsets'> = {
	section: 'toolsets',
	noun: 'toolset',
	nameOf: ({ name }) => name,
	fieldsOf: ({ description = '', groups = [], tools = [] }) => ({
		description,
		groups: [...groups].sort(),
		tools: inOrder(tools),
	}),
	read: async (context) => {
		const slugs = slugsOf(context)
		return (await listToolsets(context.client)).map((toolset) => toExisting(toolset, slugs))
	},
	toEntry: ({ name, fields }) => {
		const { description, groups, tools } = fields as { description: string; groups: string[]; tools: Tools }
		return {
			name,
			...(description !== '' && { description }),
			...(groups.length > 0 && { groups }),
			...(tools.length > 0 && { tools }),
		}
	},
	create: async (context, entry) => {
		const body = { name: entry.name, ...contentOf(context, entry) }
		return take(context.client.POST('/v1/toolsets', { body, headers: once(context) }))
	},
	update: async (context, { id }, entry) => {
		const body = contentOf(context, entry)
		return take(context.client.PATCH('/v1/toolsets/{id}', { params: { path: { id } }, body }))
	},
	remove: async ({ client }, { id }) =>
		void (await client.DELETE('/v1/toolsets/{id}', { params: { path: { id } } })),
}

/** Slugs by id. */
export function slugsOf({ ids }: Context): Map<string, string> {
	return new Map([...ids.servers].map(([slug, id]) => [id, slug]))
}

function contentOf(context: Context, { description = '', groups = [], tools = [] }: ToolsetEntry) {
	const named = tools.map(({ server, tools: names }) => ({
		server_id: idOf(context, 'servers', server),
		tools: names,
	}))
	return { description, groups, tools: named }
}

function toExisting({ id, name, ...toolset }: Schemas['Toolset'], slugs: ReadonlyMap<string, string>) {
	const tools = toolset.tools.map(({ server_id, tools: names }) => ({
		server: slugs.get(server_id) ?? server_id,
		tools: names,
	}))
	const { description, groups } = toolset
	return { id, name, fields: { description, groups: groups.toSorted(), tools: inOrder(tools) } }
}

function inOrder(tools: readonly Tools[number][]): Tools {
	return tools
		.map(({ server, tools: names }) => ({ server, tools: [...names].sort() }))
		.sort((a, b) => (a.server < b.server ? -1 : 1))
}
