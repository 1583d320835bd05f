import { useQuery } from '@tanstack/react-query'
import { parseLines } from '../../lib/parse-lines.ts'
import { Field, Input, Select, Textarea } from '../../ui/field.tsx'
import { NameField } from '../../ui/name-fields.tsx'
import { questionsQuery } from '../questions/queries.ts'
import type { Alert, AlertInput } from './queries.ts'

export interface AlertDraft {
	name: string
	question_id: string
	figure: AlertInput['figure']
	condition: AlertInput['condition']
	threshold: string
	for_s: number
	interval_s: number
	emails: string
}

export const newDraft: AlertDraft = {
	name: '',
	question_id: '',
	figure: 'errors',
	condition: 'above',
	threshold: '10',
	for_s: 0,
	interval_s: 60,
	emails: '',
}

const figures: Record<AlertDraft['figure'], string> = {
	calls: 'Calls',
	errors: 'Errors',
	error_rate: 'Error rate (0–1)',
	latency_p50_ms: 'Latency p50, ms',
	latency_p95_ms: 'Latency p95, ms',
	latency_p99_ms: 'Latency p99, ms',
	tokens: 'Tokens',
	cost_usd: 'Cost, US dollars',
	unpriced_calls: 'Calls without a price',
	sessions: 'Sessions',
	users: 'Users',
}
const conditions: Record<AlertDraft['condition'], string> = {
	above: 'is above',
	below: 'is below',
	rise: 'rises by percent',
	fall: 'falls by percent',
	no_data: 'is missing: no calls at all',
}
const thresholds: Partial<Record<Alert['kind'], string>> = {
	error_spike: 'Times the error rate of the day before',
	spend_spike: 'Times the cost of a usual day',
	agent_loop: 'Identical calls in 10 min',
}

/** What the API takes of a draft. */
export function settingsOf(draft: AlertDraft, kind: Alert['kind']) {
	const counts = kind === 'question' ? draft.condition !== 'no_data' : thresholds[kind] !== undefined
	return {
		name: draft.name.trim(),
		threshold: counts ? Number(draft.threshold) : null,
		for_s: draft.for_s,
		interval_s: draft.interval_s,
		emails: parseLines(draft.emails),
	}
}

interface AlertFieldsProps {
	kind: Alert['kind']
	value: AlertDraft
	onChange(value: AlertDraft): void
	disabled?: boolean
}

export function AlertFields(props: AlertFieldsProps) {
	const { kind, value, onChange, disabled = false } = props
	const hasThreshold = kind === 'question' ? value.condition !== 'no_data' : thresholds[kind] !== undefined
	return (
		<>
			<NameField disabled={disabled} value={value.name} onChange={(name) => onChange({ ...value, name })} />
			{kind === 'question' && <WatchedFields {...props} />}
			{hasThreshold && (
				<Field label={thresholds[kind] ?? 'Threshold'}>
					{(field) => (
						<Input
							{...field}
							type="number"
							required
							min={0}
							step="any"
							disabled={disabled}
							value={value.threshold}
							onChange={(event) => onChange({ ...value, threshold: event.target.value })}
						/>
					)}
				</Field>
			)}
			<TimeFields {...props} />
			<Field
				label="E-mail to"
				hint="One address per line. Event stream and webhooks always receive it"
				optional
			>
				{(field) => (
					<Textarea
						{...field}
						disabled={disabled}
						value={value.emails}
						onChange={(event) => onChange({ ...value, emails: event.target.value })}
					/>
				)}
			</Field>
		</>
	)
}

function WatchedFields({ value, onChange, disabled = false }: AlertFieldsProps) {
	const { data } = useQuery(questionsQuery)
	return (
		<>
			<Choice
				label="Question"
				value={value.question_id}
				options={[
					['', 'Choose a saved question'],
					...(data?.questions ?? []).map(({ id, name }) => [id, name] as const),
				]}
				disabled={disabled}
				onChange={(question_id) => onChange({ ...value, question_id })}
			/>
			<div className="grid gap-4 sm:grid-cols-2">
				<Choice
					label="Figure"
					value={value.figure}
					options={Object.entries(figures)}
					disabled={disabled}
					onChange={(figure) => onChange({ ...value, figure: figure as AlertDraft['figure'] })}
				/>
				<Choice
					label="Fires when it"
					value={value.condition}
					options={Object.entries(conditions)}
					disabled={disabled}
					onChange={(condition) => onChange({ ...value, condition: condition as AlertDraft['condition'] })}
				/>
			</div>
		</>
	)
}

function TimeFields({ value, onChange, disabled = false }: AlertFieldsProps) {
	const numbers = [
		['for_s', 'Pending period (s)', 0],
		['interval_s', 'Evaluation interval (s)', 60],
	] as const
	return (
		<div className="grid gap-4 sm:grid-cols-2">
			{numbers.map(([name, label, min]) => (
				<Field key={name} label={label}>
					{(field) => (
						<Input
							{...field}
							type="number"
							required
							min={min}
							max={86_400}
							disabled={disabled}
							value={value[name]}
							onChange={(event) => onChange({ ...value, [name]: Number(event.target.value) })}
						/>
					)}
				</Field>
			))}
		</div>
	)
}

interface ChoiceProps {
	label: string
	value: string
	options: readonly (readonly [string, string])[]
	disabled: boolean
	onChange(value: string): void
}

function Choice({ label, value, options, disabled, onChange }: ChoiceProps) {
	return (
		<Field label={label}>
			{(field) => (
				<Select
					{...field}
					required
					disabled={disabled}
					value={value}
					onChange={(event) => onChange(event.target.value)}
				>
					{options.map(([option, text]) => (
						<option key={option} value={option}>
							{text}
						</option>
					))}
				</Select>
			)}
		</Field>
	)
}
