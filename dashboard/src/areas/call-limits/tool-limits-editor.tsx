import type { FormEvent } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { OvertakenNotice } from '../../ui/notice.tsx'
import { InlineError } from '../../ui/states.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { allTools, noLimits, type ToolLimits, withoutEmpty } from './call-limits.ts'
import { CallLimitsFields } from './call-limits-fields.tsx'

interface ToolLimitsEditorProps {
	/** Identifies the server or the grant: what was entered is kept under this name while other screens are open. */
	name: string
	limits: ToolLimits
	/** The tools that can be limited individually. */
	tools: readonly string[]
	busy: boolean
	error: unknown
	disabled: boolean
	/** If it rejects, what was entered is kept. */
	onSave(limits: ToolLimits): Promise<unknown>
}

/** Limits of all tools together, and of individual tools. */
export function ToolLimitsEditor(props: ToolLimitsEditorProps) {
	const { name: owner, limits, tools, busy, error, disabled, onSave } = props
	const edited = useDraft({ limits }, `call limits of ${owner}`)
	const draft = edited.draft.limits
	const setDraft = (next: ToolLimits) => edited.setDraft({ limits: next })
	const single = Object.keys(draft).filter((name) => name !== allTools)
	const wanted = withoutEmpty(draft)
	const submit = (event: FormEvent) => {
		event.preventDefault()
		// The caller shows why it failed.
		onSave(wanted).then(edited.reset, () => undefined)
	}
	const drop = (name: string) => {
		const { [name]: _, ...others } = draft
		setDraft(others)
	}
	return (
		<form onSubmit={submit} className="grid max-w-lg gap-3">
			<h3 className="font-semibold">All tools together</h3>
			<CallLimitsFields
				of="all tools together"
				value={draft[allTools] ?? noLimits}
				disabled={disabled}
				onChange={(value) => setDraft({ ...draft, [allTools]: value })}
			/>
			{single.map((name) => (
				<div key={name} className="grid gap-2 rounded-lg border border-line p-3">
					<div className="flex items-center justify-between gap-2">
						<span className="font-mono text-[12.5px] break-all">{name}</span>
						<IconButton
							icon="trash"
							label={`Remove the limits of calls of ${name}`}
							disabled={disabled}
							onClick={() => drop(name)}
						/>
					</div>
					<CallLimitsFields
						of={name}
						value={draft[name] ?? noLimits}
						disabled={disabled}
						onChange={(value) => setDraft({ ...draft, [name]: value })}
					/>
				</div>
			))}
			<AddTool
				tools={tools.filter((name) => !(name in draft))}
				disabled={disabled}
				onAdd={(name) => setDraft({ ...draft, [name]: noLimits })}
			/>
			{!busy && <OvertakenNotice edited={edited} />}
			{error ? <InlineError error={error} /> : null}
			<div className="flex flex-wrap gap-2">
				<Button
					type="submit"
					variant="primary"
					busy={busy}
					disabled={disabled || JSON.stringify(sorted(wanted)) === JSON.stringify(sorted(limits))}
				>
					Save limits of calls
				</Button>
				{edited.isChanged && !busy && <Button onClick={edited.reset}>Undo</Button>}
			</div>
		</form>
	)
}

function sorted(limits: ToolLimits): [string, number | null, number | null][] {
	return Object.entries(limits)
		.map(([name, one]): [string, number | null, number | null] => [
			name,
			one.calls_per_minute,
			one.concurrency,
		])
		.toSorted(([a], [b]) => a.localeCompare(b))
}

interface AddToolProps {
	tools: readonly string[]
	disabled: boolean
	onAdd(name: string): void
}

function AddTool({ tools, disabled, onAdd }: AddToolProps) {
	if (tools.length === 0) return null
	return (
		<Select
			aria-label="Limit a single tool"
			className="max-w-xs"
			disabled={disabled}
			value=""
			onChange={(event) => event.target.value && onAdd(event.target.value)}
		>
			<option value="">Limit a single tool…</option>
			{tools.map((name) => (
				<option key={name} value={name}>
					{name}
				</option>
			))}
		</Select>
	)
}
