import { useQuery } from '@tanstack/react-query'
import { Button, IconButton } from '../../ui/button.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { connectionsQuery } from './queries.ts'
import { newTarget, type TargetDraft } from './route-draft.ts'

interface TargetsProps {
	targets: readonly TargetDraft[]
	weighted: boolean
	onChange(targets: readonly TargetDraft[]): void
}

const maxTargets = 20

/** The targets of a route, in order. */
export function TargetFields({ targets, weighted, onChange }: TargetsProps) {
	const { data } = useQuery(connectionsQuery)
	const names = (data?.provider_keys ?? []).map(({ name }) => name)
	const set = (key: number, change: Partial<TargetDraft>) =>
		onChange(targets.map((target) => (target.key === key ? { ...target, ...change } : target)))
	const raise = (at: number) => {
		const order = [...targets]
		const [moved] = order.splice(at, 1)
		if (moved) order.splice(at - 1, 0, moved)
		onChange(order)
	}
	return (
		<fieldset className="grid gap-3">
			<legend className="mb-1 font-medium">Targets</legend>
			<ol className="grid gap-3">
				{targets.map((target, at) => (
					<li key={target.key} className="grid gap-3 rounded-md border border-line p-3">
						<div className="flex items-center justify-between gap-2">
							<span className="text-xs text-ink-3">Target {at + 1}</span>
							<span className="flex gap-1">
								<Button small variant="ghost" disabled={at === 0} onClick={() => raise(at)}>
									Move up<span className="sr-only"> target {at + 1}</span>
								</Button>
								<IconButton
									icon="trash"
									label={`Remove target ${at + 1}`}
									disabled={targets.length === 1}
									onClick={() => onChange(targets.filter(({ key }) => key !== target.key))}
								/>
							</span>
						</div>
						<OneTarget
							target={target}
							names={names}
							weighted={weighted}
							onChange={(change) => set(target.key, change)}
						/>
					</li>
				))}
			</ol>
			<Button
				small
				icon="plus"
				className="justify-self-start"
				disabled={targets.length >= maxTargets}
				onClick={() => onChange([...targets, newTarget(names[0])])}
			>
				Add target
			</Button>
		</fieldset>
	)
}

interface OneTargetProps {
	target: TargetDraft
	names: readonly string[]
	weighted: boolean
	onChange(change: Partial<TargetDraft>): void
}

function OneTarget({ target, names, weighted, onChange }: OneTargetProps) {
	const offered =
		names.includes(target.connection) || target.connection === '' ? names : [target.connection, ...names]
	return (
		<div className="grid gap-3 sm:grid-cols-2">
			<Field label="Connection">
				{(field) => (
					<Select
						{...field}
						required
						value={target.connection}
						onChange={(event) => onChange({ connection: event.target.value })}
					>
						<option value="">Choose one</option>
						{offered.map((name) => (
							<option key={name} value={name}>
								{name}
							</option>
						))}
					</Select>
				)}
			</Field>
			<Field label="Model" optional>
				{(field) => (
					<Input
						{...field}
						maxLength={200}
						placeholder="the requested model"
						value={target.model}
						onChange={(event) => onChange({ model: event.target.value })}
						className="font-mono"
					/>
				)}
			</Field>
			<Field label="For models" optional hint="Comma-separated; * matches anything">
				{(field) => (
					<Input
						{...field}
						placeholder="all"
						value={target.forModels}
						onChange={(event) => onChange({ forModels: event.target.value })}
						className="font-mono"
					/>
				)}
			</Field>
			{weighted && (
				<Field label="Weight" hint="Its share of the calls">
					{(field) => (
						<Input
							{...field}
							required
							type="number"
							min={1}
							max={1000}
							value={target.weight}
							onChange={(event) => onChange({ weight: event.target.value })}
						/>
					)}
				</Field>
			)}
		</div>
	)
}
