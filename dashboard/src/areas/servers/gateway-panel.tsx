import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { FormPanel } from '../../ui/settings-panels.tsx'
import { toast } from '../../ui/toast.tsx'
import { useCan } from '../identity/session.ts'
import { aliasLines, parseAliases } from './parse-aliases.ts'
import { refreshServers, type Server } from './queries.ts'

/** How agents see a server at /mcp: the names of its tools, and the maximum size of a result. */
export function GatewayPanel({ server }: { server: Server }) {
	const canChange = useCan('servers:write')
	const queries = useQueryClient()
	const [prefix, setPrefix] = useState(server.tool_prefix ?? '')
	const [lines, setLines] = useState(aliasLines(server.tool_aliases))
	const [limit, setLimit] = useState(server.max_result_bytes?.toString() ?? '')
	const tool_aliases = parseAliases(lines)
	const wanted = {
		tool_prefix: prefix === '' ? null : prefix,
		max_result_bytes: limit === '' ? null : Number(limit),
		tool_aliases: tool_aliases ?? {},
	}
	const save = useMutation({
		mutationFn: () =>
			unwrap(api.PATCH('/v1/mcp/servers/{id}', { params: { path: { id: server.id } }, body: wanted })),
		onSuccess: () => {
			toast('Saved')
			return refreshServers(queries)
		},
	})
	const { tool_prefix, max_result_bytes } = server
	const saved = { tool_prefix, max_result_bytes, tool_aliases: server.tool_aliases }
	const isChanged = JSON.stringify(wanted) !== JSON.stringify(saved)
	return (
		<FormPanel
			title="Names and results"
			busy={save.isPending}
			disabled={!canChange || !isChanged || tool_aliases === null}
			error={save.error}
			onSave={save.mutate}
		>
			<Field
				label="Prefix"
				optional
				hint={`Tools at /mcp begin with it, and with ${server.slug} without one.`}
			>
				{(field) => (
					<Input
						{...field}
						className="font-mono"
						maxLength={24}
						pattern="[A-Za-z0-9]+([_\-][A-Za-z0-9]+)*"
						disabled={!canChange}
						value={prefix}
						placeholder={server.slug}
						onChange={(event) => setPrefix(event.target.value)}
					/>
				)}
			</Field>
			<Field
				label="Aliases"
				optional
				hint="Full tool names at /mcp, one per line: tool = alias. The original names keep working."
				error={tool_aliases === null ? 'Write each line as tool = alias.' : undefined}
			>
				{(field) => (
					<Textarea
						{...field}
						className="font-mono"
						disabled={!canChange}
						value={lines}
						onChange={(event) => setLines(event.target.value)}
					/>
				)}
			</Field>
			<Field
				label="Largest result in bytes"
				optional
				hint="Longer results are split; the agent reads the rest with the tool read_more."
			>
				{(field) => (
					<Input
						{...field}
						type="number"
						min={4096}
						max={4_194_304}
						disabled={!canChange}
						value={limit}
						onChange={(event) => setLimit(event.target.value)}
					/>
				)}
			</Field>
		</FormPanel>
	)
}
