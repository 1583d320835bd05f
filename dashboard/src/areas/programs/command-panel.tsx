import { useMutation, useQueryClient } from '@tanstack/react-query'
import { changeShown } from '../../api.ts'
import { FormPanel } from '../../ui/settings-panels.tsx'
import { Badge } from '../../ui/status.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useCan } from '../identity/session.ts'
import { refreshServers, type Server } from '../servers/queries.ts'
import { ProgramFields } from './program-fields.tsx'
import { parseArguments, parseVariables } from './program-texts.ts'

/** The command to run. Changing it discards what was installed and accepted for the old one. */
export function CommandPanel({ server }: { server: Server }) {
	const saved = { command: server.command ?? '', args: server.args.join('\n'), env: '' }
	const edited = useDraft(saved, `command of ${server.id}`)
	const { draft, setDraft, changes } = edited
	const canChange = useCan('servers:write')
	const queries = useQueryClient()
	const env = parseVariables(draft.env)
	const save = useMutation({
		mutationFn: () =>
			changeShown('/v1/mcp/servers/{id}', { id: server.id }, server, {
				...(changes.command !== undefined && { command: draft.command.trim() }),
				...(changes.args !== undefined && { args: parseArguments(draft.args) }),
				...(draft.env.trim() && env && { env }),
			}),
		onSuccess: async () => {
			toast('Saved')
			await refreshServers(queries)
		},
	})
	return (
		<FormPanel
			title="Command"
			busy={save.isPending}
			edited={edited}
			disabled={!canChange || !env}
			error={save.error}
			onSave={() => save.mutate(undefined, { onSuccess: edited.reset })}
		>
			<StoredVariables names={server.env_names} />
			<ProgramFields
				draft={draft}
				onChange={setDraft}
				isEnvRead={env !== null}
				stored={server.env_names}
				disabled={!canChange}
			/>
			<p className="text-xs text-ink-3">
				Another command or other arguments are a new installation. Any change has to be accepted before the
				program starts.
			</p>
		</FormPanel>
	)
}

function StoredVariables({ names }: { names: readonly string[] }) {
	if (names.length === 0) return null
	return (
		<ul aria-label="Stored variables" className="flex flex-wrap gap-1.5">
			{names.map((name) => (
				<li key={name}>
					<Badge tone="idle" icon="key">
						<span className="font-mono">{name}</span> is set
					</Badge>
				</li>
			))}
		</ul>
	)
}
