import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Switch } from '../../ui/controls.tsx'
import { deleteWithUndo } from '../../ui/delete-with-undo.ts'
import { Row, Table, Td, Th, ThActions } from '../../ui/table.tsx'
import { toast, toastFailure } from '../../ui/toast.tsx'
import { hookDraftOf, hookInputOf } from './hook-draft.ts'
import { HookState } from './hook-state.tsx'
import { actionTexts, describeCalls, stageTexts } from './hook-texts.ts'
import { changeHook, type Hook, refreshHooks } from './queries.ts'

/** The hooks in the order in which they run. */
export function HookTable({ hooks, canChange }: { hooks: readonly Hook[]; canChange: boolean }) {
	const [leaving, setLeaving] = useState<Hook | null>(null)
	const remove = useRemoval()
	return (
		<>
			<Table label="Hooks in the order in which they run">
				<thead>
					<tr>
						<Th>Name</Th>
						<Th>State</Th>
						<Th>Action</Th>
						<Th>Applies to</Th>
						<Th>Calls</Th>
						<Th>On</Th>
						<ThActions />
					</tr>
				</thead>
				<tbody>
					{hooks.map((hook) => (
						<HookLine
							key={hook.id}
							hook={hook}
							canChange={canChange}
							onDelete={() => (hook.action === 'webhook' ? setLeaving(hook) : void remove.undoably(hook))}
						/>
					))}
				</tbody>
			</Table>
			<Confirm
				open={leaving !== null}
				onClose={() => setLeaving(null)}
				title={`Delete ${leaving?.name ?? ''}?`}
				text="Its signing secret is deleted too. A new hook gets a new secret."
				action="Delete hook"
				run={() => (leaving ? remove.forGood(leaving) : Promise.resolve())}
			/>
		</>
	)
}

function HookLine({ hook, canChange, onDelete }: { hook: Hook; canChange: boolean; onDelete(): void }) {
	const queries = useQueryClient()
	const turn = useMutation({
		mutationFn: (enabled: boolean) => changeHook(hook, { enabled }),
		onSuccess: () => refreshHooks(queries),
		onError: (error) => toastFailure(error.message),
	})
	return (
		<Row>
			<Td className="max-w-56 min-w-32">
				<Link
					to="/connections"
					search={{ tab: 'hooks', open: hook.id }}
					className="flex min-h-6 items-center font-medium hover:underline"
				>
					<span className="truncate">{hook.name}</span>
				</Link>
			</Td>
			<Td>
				<HookState hook={hook} />
			</Td>
			<Td className="max-w-64 min-w-40">
				<span className="block">{actionTexts[hook.action].label}</span>
				<span
					className="block truncate font-mono text-xs text-ink-3"
					title={hook.pattern ?? hook.url ?? undefined}
				>
					{hook.pattern ?? hook.url}
				</span>
			</Td>
			<Td className="min-w-32 text-ink-2">{hook.stages.map((stage) => stageTexts[stage]).join(', ')}</Td>
			<Td className="max-w-56 min-w-32 text-ink-2">
				<span className="block truncate" title={describeCalls(hook)}>
					{describeCalls(hook)}
				</span>
			</Td>
			<Td>
				<Switch
					label={`${hook.name} is on`}
					checked={hook.enabled}
					disabled={!canChange || turn.isPending}
					onChange={(enabled) => turn.mutate(enabled)}
				/>
			</Td>
			<Td right>
				<IconButton icon="trash" label={`Delete ${hook.name}`} disabled={!canChange} onClick={onDelete} />
			</Td>
		</Row>
	)
}

/** Deleting a webhook needs a confirmation, because its secret cannot be restored; deleting any other hook can be undone. */
function useRemoval() {
	const queries = useQueryClient()
	const refresh = () => refreshHooks(queries)
	const remove = ({ id }: Hook) => unwrap(api.DELETE('/v1/hooks/{id}', { params: { path: { id } } }))
	return {
		undoably: (hook: Hook) =>
			deleteWithUndo({
				name: hook.name,
				remove: () => remove(hook),
				restore: () => unwrap(api.POST('/v1/hooks', { body: hookInputOf(hookDraftOf(hook)) })),
				refresh,
			}),
		forGood: async (hook: Hook) => {
			await remove(hook)
			toast(`${hook.name} is deleted`)
			await refresh()
		},
	}
}
