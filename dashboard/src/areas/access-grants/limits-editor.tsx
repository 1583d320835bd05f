import { Button, IconButton } from '../../ui/button.tsx'
import { CheckLine } from '../../ui/controls.tsx'
import { Field, Input, Select, Textarea } from '../../ui/field.tsx'
import { OvertakenNotice } from '../../ui/notice.tsx'
import { changedFields, hasFields, useDraft } from '../../ui/use-draft.ts'
import { ApprovalTerms } from './approval-terms.tsx'
import {
	type DeniedHint,
	fromDraft,
	type GrantLimits,
	type LimitsDraft,
	toDraft,
	waitField,
} from './grant-limits.ts'

interface LimitsEditorProps {
	/** Identifies the grant: its draft is kept under this name while other screens are open. */
	name: string
	limits: GrantLimits
	/** The tools that can be limited. */
	tools: readonly string[]
	action: string
	busy: boolean
	disabled: boolean
	/** If it rejects, the draft is kept. */
	onSave(limits: Partial<GrantLimits>): Promise<unknown>
}

/** The additional restrictions of a grant: an expiry and, for single tools, a schema of their arguments or approval by a person. */
export function LimitsEditor({ name, limits, tools, action, busy, disabled, onSave }: LimitsEditorProps) {
	const saved = toDraft(limits)
	const edited = useDraft<LimitsDraft>(saved, `limits ${name}`)
	const { draft, setDraft } = edited
	const result = fromDraft(draft)
	const before = fromDraft(saved)
	const errors = 'errors' in result ? result.errors : {}
	const save = async () => {
		if ('errors' in result) return
		const changed = changedFields(result.limits, 'limits' in before ? before.limits : {})
		if (hasFields(changed)) await onSave(changed)
		edited.reset()
	}
	const setTool = (toolName: string, tool: LimitsDraft['tools'][string] | null) => {
		const { [toolName]: _, ...others } = draft.tools
		setDraft({ ...draft, tools: tool ? { ...draft.tools, [toolName]: tool } : others })
	}
	return (
		<section
			aria-label="Limits"
			className="mt-5 grid grid-cols-[minmax(0,1fr)] gap-3 border-t border-line pt-4"
		>
			<h2 className="font-semibold">Limits</h2>
			<Expiry
				value={draft.expires}
				disabled={disabled}
				onChange={(expires) => setDraft({ ...draft, expires })}
			/>
			<DeniedHints
				denied={draft.denied_hints}
				disabled={disabled}
				onChange={(denied_hints) => setDraft({ ...draft, denied_hints })}
			/>
			{Object.entries(draft.tools).map(([toolName, tool]) => (
				<ToolLimit
					key={toolName}
					name={toolName}
					tool={tool}
					error={errors[toolName]}
					disabled={disabled}
					onChange={(next) => setTool(toolName, next)}
				/>
			))}
			<LimitTool
				tools={tools.filter((toolName) => !(toolName in draft.tools))}
				disabled={disabled}
				onAdd={(toolName) => setTool(toolName, { schema: '', ask: false })}
			/>
			{Object.values(draft.tools).some(({ ask }) => ask) && (
				<ApprovalTerms
					terms={draft}
					error={errors[waitField]}
					disabled={disabled}
					onChange={(terms) => setDraft({ ...draft, ...terms })}
				/>
			)}
			{!busy && <OvertakenNotice edited={edited} />}
			{edited.isChanged && (
				<div className="flex flex-wrap items-center justify-end gap-2">
					<Button onClick={edited.reset}>Undo</Button>
					<Button
						variant="primary"
						busy={busy}
						disabled={disabled || 'errors' in result}
						onClick={() => void save().catch(() => undefined)}
					>
						{action}
					</Button>
				</div>
			)}
		</section>
	)
}

interface ExpiryProps {
	value: string
	disabled: boolean
	onChange(value: string): void
}

function Expiry({ value, disabled, onChange }: ExpiryProps) {
	return (
		<div className="max-w-xs">
			<Field label="Ends" optional hint="Access ends then; in-flight calls are aborted">
				{(field) => (
					<span className="flex gap-2">
						<Input
							{...field}
							type="datetime-local"
							disabled={disabled}
							value={value}
							onChange={(event) => onChange(event.target.value)}
						/>
						{value && (
							<Button disabled={disabled} onClick={() => onChange('')}>
								Never
							</Button>
						)}
					</span>
				)}
			</Field>
		</div>
	)
}

const hints: readonly { hint: DeniedHint; label: string }[] = [
	{ hint: 'destructiveHint', label: 'Deny destructive tools' },
	{ hint: 'openWorldHint', label: 'Deny open-world tools' },
]

interface DeniedHintsProps {
	denied: DeniedHint[]
	disabled: boolean
	onChange(denied: DeniedHint[]): void
}

/** Uses the annotations of the server; a tool without annotations counts as having both. */
function DeniedHints({ denied, disabled, onChange }: DeniedHintsProps) {
	return (
		<div className="grid gap-1">
			{hints.map(({ hint, label }) => (
				<CheckLine
					key={hint}
					label={label}
					checked={denied.includes(hint)}
					disabled={disabled}
					onChange={(on) => onChange(on ? [...denied, hint] : denied.filter((each) => each !== hint))}
				>
					{label}
				</CheckLine>
			))}
			<p className="text-ink-2">
				By the annotations of each tool, which are its server’s own word. A tool without them counts as both;
				one that says it only reads does not destroy.
			</p>
		</div>
	)
}

interface ToolLimitProps {
	name: string
	tool: LimitsDraft['tools'][string]
	error: string | undefined
	disabled: boolean
	onChange(tool: LimitsDraft['tools'][string] | null): void
}

function ToolLimit({ name, tool, error, disabled, onChange }: ToolLimitProps) {
	return (
		<div className="grid gap-2 rounded-lg border border-line p-3">
			<div className="flex items-center justify-between gap-2">
				<span className="font-mono text-[12.5px] break-all">{name}</span>
				<IconButton
					icon="trash"
					label={`Remove the limits of ${name}`}
					disabled={disabled}
					onClick={() => onChange(null)}
				/>
			</div>
			<CheckLine
				label={`Ask a person before ${name} is called`}
				checked={tool.ask}
				disabled={disabled}
				onChange={(ask) => onChange({ ...tool, ask })}
			>
				Ask a person before each call
			</CheckLine>
			<Field
				label={`Arguments of ${name} must match`}
				optional
				hint="JSON Schema (2020-12) of the arguments; fields that are not required may be absent"
				error={error}
			>
				{(field) => (
					<Textarea
						{...field}
						rows={Math.min(14, Math.max(4, tool.schema.split('\n').length))}
						spellCheck={false}
						disabled={disabled}
						placeholder='{"properties": {"path": {"pattern": "^/data/"}}, "required": ["path"]}'
						value={tool.schema}
						onChange={(event) => onChange({ ...tool, schema: event.target.value })}
						className="font-mono text-xs"
					/>
				)}
			</Field>
		</div>
	)
}

interface LimitToolProps {
	tools: readonly string[]
	disabled: boolean
	onAdd(name: string): void
}

function LimitTool({ tools, disabled, onAdd }: LimitToolProps) {
	if (tools.length === 0) return null
	return (
		<Select
			aria-label="Limit a tool"
			className="max-w-xs"
			disabled={disabled}
			value=""
			onChange={(event) => event.target.value && onAdd(event.target.value)}
		>
			<option value="">Limit a tool…</option>
			{tools.map((name) => (
				<option key={name} value={name}>
					{name}
				</option>
			))}
		</Select>
	)
}
