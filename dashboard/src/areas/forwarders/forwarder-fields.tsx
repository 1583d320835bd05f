import { CheckLine } from '../../ui/controls.tsx'
import { Field, Input, Select, Textarea } from '../../ui/field.tsx'
import { NameField } from '../../ui/name-fields.tsx'
import { type ForwarderDraft, inputOf } from './forwarder-draft.ts'

const signals = [
	['spans', 'Spans'],
	['metrics', 'Metrics'],
	['logs', 'Logs'],
	['audit', 'Audit records'],
] as const

interface ForwarderFieldsProps {
	value: ForwarderDraft
	onChange(value: ForwarderDraft): void
	disabled?: boolean
	/** Names of the stored headers; null for a new forwarder, whose kind can still be chosen. */
	stored: readonly string[] | null
}

/** The receiver of a forwarder, and the signals it sends. */
export function ForwarderFields({ value, onChange, disabled = false, stored }: ForwarderFieldsProps) {
	const set = (change: Partial<ForwarderDraft>) => onChange({ ...value, ...change })
	return (
		<>
			<NameField disabled={disabled} value={value.name} onChange={(name) => set({ name })} />
			{stored === null && <KindField value={value} onChange={set} />}
			<Field
				label="Address"
				hint={
					value.kind === 'otlp'
						? '/v1/traces, /v1/metrics and /v1/logs are appended'
						: 'tls://host:port or tcp://host:port'
				}
			>
				{(field) => (
					<Input
						{...field}
						required
						disabled={disabled}
						placeholder={value.kind === 'otlp' ? 'https://collector.example.org:4318' : 'tls://'}
						value={value.url}
						onChange={(event) => set({ url: event.target.value })}
						className="font-mono"
					/>
				)}
			</Field>
			{value.kind === 'otlp' && (
				<OtlpFields value={value} set={set} disabled={disabled} stored={stored ?? []} />
			)}
		</>
	)
}

interface PartProps {
	value: ForwarderDraft
	onChange(change: Partial<ForwarderDraft>): void
}

function KindField({ value, onChange }: PartProps) {
	const choose = (kind: string) =>
		onChange(kind === 'syslog' ? { kind, signals: ['audit'], headers: '', attributes: '' } : { kind: 'otlp' })
	return (
		<Field label="Protocol">
			{(field) => (
				<Select {...field} value={value.kind} onChange={(event) => choose(event.target.value)}>
					<option value="otlp">OTLP over HTTP</option>
					<option value="syslog">Syslog, audit records only</option>
				</Select>
			)}
		</Field>
	)
}

interface OtlpFieldsProps {
	value: ForwarderDraft
	set(change: Partial<ForwarderDraft>): void
	disabled: boolean
	stored: readonly string[]
}

function OtlpFields({ value, set, disabled, stored }: OtlpFieldsProps) {
	const headersRead = inputOf({ ...value, signals: ['spans'] }) !== null
	return (
		<>
			<Signals value={value} set={set} disabled={disabled} />
			<Field
				label="Headers"
				optional
				hint={`One per line, for example Authorization: Bearer … They are encrypted and never shown again.${
					stored.length > 0 ? ` Stored: ${stored.join(', ')}; what is typed here replaces them.` : ''
				}`}
				error={headersRead ? undefined : 'Each line needs a name, a colon and a value'}
			>
				{(field) => (
					<Textarea
						{...field}
						spellCheck={false}
						autoComplete="off"
						disabled={disabled}
						value={value.headers}
						onChange={(event) => set({ headers: event.target.value })}
						className="font-mono text-xs"
					/>
				)}
			</Field>
			<Field
				label="Only with these attributes"
				optional
				hint="One condition per line, for example team=red or retry.count>=2. Audit records are always sent."
			>
				{(field) => (
					<Textarea
						{...field}
						spellCheck={false}
						disabled={disabled}
						value={value.attributes}
						onChange={(event) => set({ attributes: event.target.value })}
						className="font-mono text-xs"
					/>
				)}
			</Field>
		</>
	)
}

function Signals({ value, set, disabled }: Omit<OtlpFieldsProps, 'stored'>) {
	const choose = (signal: (typeof signals)[number][0], on: boolean) =>
		set({ signals: on ? [...value.signals, signal] : value.signals.filter((other) => other !== signal) })
	return (
		<fieldset>
			<legend className="mb-1 font-medium">Data</legend>
			<div className="grid grid-cols-1 rounded-lg border border-line p-1.5 sm:grid-cols-2">
				{signals.map(([signal, label]) => (
					<CheckLine
						key={signal}
						label={label}
						disabled={disabled}
						checked={value.signals.includes(signal)}
						onChange={(on) => choose(signal, on)}
					>
						{label}
					</CheckLine>
				))}
				<CheckLine
					label="Only spans of tool and model calls"
					disabled={disabled || !value.signals.includes('spans')}
					checked={value.callsOnly}
					onChange={(callsOnly) => set({ callsOnly })}
				>
					Only spans of tool and model calls
				</CheckLine>
			</div>
		</fieldset>
	)
}
