import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { OvertakenNotice } from '../../ui/notice.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Badge } from '../../ui/status.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import {
	choiceOf,
	describeChange,
	grantsNothing,
	isSameChoice,
	nothing,
	withMode,
	withTool,
} from './grant-choice.ts'
import { PartsFields } from './parts-fields.tsx'
import type { GrantChoice } from './queries.ts'
import { type OfferedTool, ToolChecklist } from './tool-checklist.tsx'

const modes = [
	{ value: 'all', label: 'All tools' },
	{ value: 'selected', label: 'Selected tools' },
] as const

interface GrantEditorProps {
	/** Identifies the grant: its draft is kept under this name while other screens are open. */
	name: string
	/** Null: nothing is granted yet. */
	granted: GrantChoice | null
	tools: readonly OfferedTool[]
	action: string
	busy: boolean
	disabled?: boolean
	/** If it rejects, the draft is kept. */
	onSave(choice: GrantChoice): Promise<unknown>
}

/**
 * A grant of a whole server, or of selected tools, prompts and resources. Nothing changes until it is saved, and the button says what
 * will change.
 */
export function GrantEditor({ name, granted, tools, action, busy, disabled, onSave }: GrantEditorProps) {
	const edited = useDraft({ choice: granted ? choiceOf(granted) : nothing }, draftName(name))
	const { choice } = edited.draft
	const [isAsking, setIsAsking] = useState(false)
	const isChanged = granted === null || !isSameChoice(choice, granted)
	const change = (next: GrantChoice) =>
		isSameChoice(next, granted ?? nothing) ? edited.reset() : edited.setDraft({ choice: next })
	const send = async () => {
		await onSave(choice)
		edited.reset()
	}
	// The caller's `onSave` reports failures.
	const save = () => (grantsNothing(choice) ? setIsAsking(true) : void send().catch(() => undefined))
	const known = new Set(tools.map((tool) => tool.name))
	const unknown = (choice.allowed_tools ?? []).filter((tool) => !known.has(tool))
	const offered = [...tools, ...unknown.map((tool) => ({ name: tool, note: <NotThere /> }))]
	return (
		<div className="grid gap-3">
			<div className="flex flex-wrap items-center gap-3">
				<Segmented
					label="Which tools"
					value={choice.access_mode}
					options={modes}
					disabled={disabled ?? false}
					onChange={(mode) => change(withMode(choice, mode))}
				/>
				{choice.access_mode === 'all' && (
					<span className="text-ink-3">
						Also tools that the server adds later, and all prompts and resources.
					</span>
				)}
			</div>
			<ToolChecklist
				tools={offered}
				isChecked={(name) => choice.access_mode === 'all' || (choice.allowed_tools ?? []).includes(name)}
				disabled={disabled || choice.access_mode === 'all'}
				onChange={(name, on) => change(withTool(choice, name, on))}
			/>
			{choice.access_mode === 'selected' && (
				<PartsFields choice={choice} disabled={disabled ?? false} onChange={change} />
			)}
			{isChanged && (
				<div className="sticky bottom-0 flex flex-wrap items-center justify-end gap-2 bg-surface pt-1">
					{granted && edited.isChanged && (
						<>
							{!busy && <OvertakenNotice edited={edited} />}
							<span className="mr-auto text-ink-2">Not saved: {describeChange(granted, choice)}</span>
							<Button onClick={edited.reset}>Undo</Button>
						</>
					)}
					{!granted && grantsNothing(choice) && (
						<span className="mr-auto text-ink-2">Select a tool, or name a prompt or a resource.</span>
					)}
					<Button
						variant="primary"
						busy={busy}
						disabled={disabled || (!granted && grantsNothing(choice))}
						onClick={save}
					>
						{action}
					</Button>
				</div>
			)}
			<Confirm
				open={isAsking}
				onClose={() => setIsAsking(false)}
				title="Allow nothing?"
				text="No tool is selected, so the agent cannot use this server. Running calls end within a second."
				action="Allow nothing"
				run={send}
			/>
		</div>
	)
}

/** The name of a grant's draft, for components that show whether there is one. */
export function draftName(grant: string): string {
	return `grant ${grant}`
}

function NotThere() {
	return <Badge tone="warn">not on this server</Badge>
}
