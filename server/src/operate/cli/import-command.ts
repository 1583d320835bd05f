import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { type Schemas, take } from '../client/index.ts'
import { answer, note } from './answer.ts'
import { requireYes } from './confirm.ts'
import { connect } from './connection.ts'
import { CommandFailure, exitCodes } from './outcome.ts'

interface McpJson {
	mcpServers?: Record<string, unknown>
	servers?: Record<string, unknown>
}

export function addImportCommand(program: Command): void {
	program
		.command('import')
		.argument('<file>', 'an mcp.json of an MCP client, or - for standard input')
		.description('Register the servers of an mcp.json')
		.option('--apply', 'register them; without it they are only listed')
		.action(importFile)
}

async function importFile(path: string, options: { apply?: true }, command: Command): Promise<void> {
	const file = parseMcpJson(path === '-' ? await text(process.stdin) : readFileSync(path, 'utf8'))
	const names = Object.keys(file.mcpServers ?? file.servers ?? {})
	if (!options.apply) {
		const lines = [...names.map((name) => `+ server ${name}`), 'Nothing was changed; --apply registers them.']
		return answer(command, { servers: names, applied: false }, lines)
	}
	for (const name of names) note(command, `+ server ${name}`)
	await requireYes(command, `Register these ${names.length} servers?`)
	const result = await take(connect(command).POST('/v1/mcp/servers/import', { body: file }))
	answer(command, result, result.mcp_servers.map(describe))
	if (result.mcp_servers.some(({ outcome }) => outcome === 'refused')) process.exitCode = exitCodes.failed
}

/** Only what holds servers is sent: other fields of the file are the client's own affairs. */
function parseMcpJson(json: string): McpJson {
	try {
		const { mcpServers, servers } = JSON.parse(json) as McpJson
		if (mcpServers) return { mcpServers }
		if (servers) return { servers }
	} catch {}
	throw new CommandFailure(exitCodes.usage, 'The file is no JSON object with mcpServers or servers.')
}

function describe({ name, outcome, slug, detail }: Schemas['ImportedServer']): string {
	return outcome === 'created' ? `created ${name} as ${slug}` : `${outcome} ${name}: ${detail}`
}
