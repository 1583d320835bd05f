import { Type } from 'typebox'
import { byScope } from './access.ts'
import { Id, MapOf, Nullable, OneOf, Strict } from './common.ts'
import { operation } from './operation.ts'
import type { ProblemCode } from './problems.ts'

/** Entries by name, in the format of clients' files; each is validated separately. */
const Entries = MapOf(Type.Unknown(), { maxProperties: 100 })

const ImportedServer = Strict(
	{
		name: Type.String({ description: 'Name in the file, also the name of the server' }),
		outcome: OneOf(['created', 'skipped', 'refused'], {
			description: '`skipped`: a server with this name already exists and is not changed',
		}),
		id: Nullable(Id),
		slug: Nullable(Type.String()),
		code: Nullable(Type.Unsafe<ProblemCode>(Type.String({ description: 'Error code of the refusal' }))),
		detail: Nullable(Type.String()),
	},
	{ title: 'ImportedServer' },
)

export const serverImportOperations = {
	run: operation({
		id: 'servers.import',
		method: 'POST',
		path: '/v1/mcp/servers/import',
		summary: 'Register the servers of an mcp.json; each entry is answered separately',
		description:
			'The body is the configuration file of an MCP client: an object with `mcpServers`, or `servers` (VS Code). Headers and environment are sealed. Entries with a `command` need the right to stdio programs. An entry with a placeholder (`$` and a name in braces) is refused, because only the client knows its value. The answer is 200 even when every entry was refused.',
		access: byScope('servers:write'),
		body: Strict({
			mcpServers: Type.Optional(Entries),
			servers: Type.Optional(Entries),
			inputs: Type.Optional(Type.Array(Type.Unknown(), { description: 'Used by VS Code; ignored' })),
		}),
		status: 200,
		response: Strict({ mcp_servers: Type.Array(ImportedServer) }, { title: 'ImportedServers' }),
	}),
}
