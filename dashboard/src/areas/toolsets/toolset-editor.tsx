import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { changeShown } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { OvertakenNotice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/page.tsx'
import { Empty, InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { ToolsetSimulation } from '../access-review/toolset-simulation.tsx'
import { GroupsField } from '../agents/groups-field.tsx'
import { allServersQuery } from '../servers/queries.ts'
import { refreshToolsets, type Toolset, type ToolsetContent } from './queries.ts'
import { ServerTools } from './server-tools.tsx'
import { ordered, withServer } from './toolset-content.ts'
import { ToolsetPreview } from './toolset-preview.tsx'

/** Tools and groups as a draft; before saving, it shows who would gain and lose which tools. */
export function ToolsetEditor({ toolset, disabled }: { toolset: Toolset; disabled: boolean }) {
	const queries = useQueryClient()
	const edited = useDraft(ordered(toolset), `toolset ${toolset.id}`)
	const { draft } = edited
	const setDraft = (next: ToolsetContent) => edited.setDraft(ordered(next))
	const save = useMutation({
		mutationFn: () => changeShown('/v1/toolsets/{id}', { id: toolset.id }, toolset, edited.changes),
		onSuccess: async () => {
			await refreshToolsets(queries)
			toast('Saved: the agents have it within a second')
		},
	})
	return (
		<>
			<Panel title="Tools">
				<Tools content={draft} disabled={disabled} onChange={setDraft} />
			</Panel>
			<Panel title="Given to groups">
				<div className="max-w-lg">
					<GroupsField
						groups={draft.groups}
						disabled={disabled}
						onChange={(groups) => setDraft({ tools: draft.tools, groups })}
					/>
				</div>
			</Panel>
			{edited.isChanged && (
				<div className="sticky bottom-3 z-20">
					<Panel className="shadow-float" title="Not saved yet">
						<ToolsetPreview id={toolset.id} content={draft} />
						<div key={JSON.stringify(draft)} className="mt-3">
							<ToolsetSimulation
								proposal={{ toolset_id: toolset.id, tools: draft.tools, groups: draft.groups }}
							/>
						</div>
						{!save.isPending && <OvertakenNotice edited={edited} />}
						{save.error && <InlineError error={save.error} />}
						<div className="mt-3 flex flex-wrap justify-end gap-2">
							<Button onClick={edited.reset}>Undo</Button>
							<Button
								variant="primary"
								busy={save.isPending}
								disabled={disabled}
								onClick={() => save.mutate(undefined, { onSuccess: edited.reset })}
							>
								Save and apply
							</Button>
						</div>
					</Panel>
				</div>
			)}
		</>
	)
}

interface ToolsProps {
	content: ToolsetContent
	disabled: boolean
	onChange(content: ToolsetContent): void
}

function Tools({ content, disabled, onChange }: ToolsProps) {
	const { data } = useQuery(allServersQuery)
	const servers = data?.mcp_servers ?? []
	const others = servers.filter(({ id }) => !content.tools.some(({ server_id }) => server_id === id))
	return (
		<div className="grid gap-3">
			{content.tools.length === 0 && (
				<Empty icon="tool" title="No tools yet">
					Add a server, then choose its tools. Tools that it gets later are not added automatically.
				</Empty>
			)}
			{content.tools.map(({ server_id, tools }) => (
				<ServerTools
					key={server_id}
					serverId={server_id}
					name={servers.find(({ id }) => id === server_id)?.name ?? server_id}
					chosen={tools}
					disabled={disabled}
					onChange={(names) => onChange(withServer(content, server_id, names))}
				/>
			))}
			{others.length > 0 && (
				<Select
					aria-label="Add a server"
					className="max-w-xs"
					disabled={disabled}
					value=""
					onChange={(event) => event.target.value && onChange(withServer(content, event.target.value, []))}
				>
					<option value="">Add a server…</option>
					{others.map(({ id, name }) => (
						<option key={id} value={id}>
							{name}
						</option>
					))}
				</Select>
			)}
		</div>
	)
}
