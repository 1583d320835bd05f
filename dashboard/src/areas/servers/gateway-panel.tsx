import { useMutation, useQueryClient } from '@tanstack/react-query'
import { changeShown } from '../../api.ts'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { FormPanel } from '../../ui/settings-panels.tsx'
import { toast } from '../../ui/toast.tsx'
import { changedFields, hasFields, useDraft } from '../../ui/use-draft.ts'
import { useCan } from '../identity/session.ts'
import { aliasLines, parseAliases } from './parse-aliases.ts'
import { refreshServers, type Server } from './queries.ts'

/** As typed; an empty text is the default. */
interface GatewayDraft {
	prefix: string
	lines: string
	limit: string
}

const draftOf = ({ tool_prefix, tool_aliases, max_result_bytes }: Server): GatewayDraft => ({
	prefix: tool_prefix ?? '',
	lines: aliasLines(tool_aliases),
	limit: max_result_bytes?.toString() ?? '',
})

const inputOf = ({ prefix, lines, limit }: GatewayDraft) => ({
	tool_prefix: prefix === '' ? null : prefix,
	max_result_bytes: limit === '' ? null : Number(limit),
	tool_aliases: parseAliases(lines) ?? {},
})

/** How agents see a server at /mcp: the names of its tools, and the maximum size of a result. */
export function GatewayPanel({ server }: { server: Server }) {
	const canChange = useCan('servers:write')
	const queries = useQueryClient()
	const saved = draftOf(server)
	const edited = useDraft(saved, `names of ${server.id}`)
	const { prefix, lines, limit } = edited.draft
	const set = (change: Partial<GatewayDraft>) => edited.setDraft({ ...edited.draft, ...change })
	const areAliasesRead = parseAliases(lines) !== null
	const body = changedFields(inputOf(edited.draft), inputOf(saved))
	const save = useMutation({
		mutationFn: () => changeShown('/v1/mcp/servers/{id}', { id: server.id }, server, body),
		onSuccess: () => {
			toast('Saved')
			return refreshServers(queries)
		},
	})
	return (
		<FormPanel
			title="Names and results"
			busy={save.isPending}
			edited={edited}
			disabled={!canChange || !areAliasesRead || !hasFields(body)}
			error={save.error}
			onSave={() => save.mutate(undefined, { onSuccess: edited.reset })}
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
						onChange={(event) => set({ prefix: event.target.value })}
					/>
				)}
			</Field>
			<Field
				label="Aliases"
				optional
				hint="Full tool names at /mcp, one per line: tool = alias. The original names keep working."
				error={areAliasesRead ? undefined : 'Write each line as tool = alias.'}
			>
				{(field) => (
					<Textarea
						{...field}
						className="font-mono"
						disabled={!canChange}
						value={lines}
						onChange={(event) => set({ lines: event.target.value })}
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
						onChange={(event) => set({ limit: event.target.value })}
					/>
				)}
			</Field>
		</FormPanel>
	)
}
