import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Field, Input, Select, Textarea } from '../../ui/field.tsx'
import { linkClass } from '../../ui/link.ts'
import { NameField } from '../../ui/name-fields.tsx'
import { spotlightViewsQuery } from '../saved-views/queries.ts'
import { useNames } from '../spotlight/use-names.ts'
import { AlertPreview } from './alert-preview.tsx'
import { type AlertDraft, type AlertView, figures, thresholdLabel, thresholds } from './alert-search.ts'
import type { Alert } from './queries.ts'

const conditions: Record<AlertDraft['condition'], string> = {
	above: 'is above',
	below: 'is below',
	rise: 'rises by percent',
	fall: 'falls by percent',
	no_data: 'is missing: no calls at all',
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
				<Field label={thresholds[kind] ?? thresholdLabel(value)}>
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
				hint={
					<>
						One address per line. For Slack, Microsoft Teams, PagerDuty or Discord{' '}
						<Link to="/webhooks" search={{ create: true }} className={linkClass}>
							add a channel
						</Link>
						, which gets every alert.
					</>
				}
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
			{kind === 'question' && <AlertPreview draft={value} />}
		</>
	)
}

const viewRanges: Record<AlertView['range'], string> = {
	'15m': 'last 15 minutes',
	'1h': 'last hour',
	'6h': 'last 6 hours',
	'24h': 'last 24 hours',
	'7d': 'last 7 days',
	'30d': 'last 30 days',
}

function describeView({ filter }: AlertView, names: ReadonlyMap<string, string>): string {
	const conditions = Object.entries(filter).map(
		([name, value]) => `${name.replaceAll('_', ' ')} ${names.get(value) ?? value}`,
	)
	return conditions.length > 0 ? `Calls with ${conditions.join(', ')}` : 'All calls'
}

function WatchedFields({ value, onChange, disabled = false }: AlertFieldsProps) {
	const { data } = useQuery(spotlightViewsQuery)
	const { view } = value
	const names = useNames(Object.keys(view?.filter ?? {}))
	return (
		<>
			<Choice
				label="Watches"
				value={value.question_id}
				options={[
					...(view ? [['', describeView(view, names)] as const] : []),
					...(data?.questions ?? []).map(({ id, name }) => [id, name] as const),
				]}
				disabled={disabled}
				onChange={(question_id) => onChange({ ...value, question_id })}
			/>
			{view && value.question_id === '' && (
				<Choice
					label="Time range"
					value={view.range}
					options={Object.entries(viewRanges)}
					disabled={disabled}
					onChange={(range) => onChange({ ...value, view: { ...view, range: range as AlertView['range'] } })}
				/>
			)}
			<div className="grid gap-4 sm:grid-cols-2">
				<Choice
					label="Metric"
					value={value.figure}
					options={Object.entries(figures)}
					disabled={disabled}
					onChange={(figure) => onChange({ ...value, figure: figure as AlertDraft['figure'] })}
				/>
				<Choice
					label="Condition"
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
