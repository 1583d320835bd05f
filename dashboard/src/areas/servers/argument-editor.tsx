import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field, Input, Select, Textarea } from '../../ui/field.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import {
	type ArgumentField,
	type Arguments,
	argumentFields,
	parseJson,
	readArguments,
} from './argument-form.ts'

type Mode = 'form' | 'json'

const modes = [
	{ value: 'form', label: 'Form' },
	{ value: 'json', label: 'JSON' },
] as const satisfies readonly { value: Mode; label: string }[]

interface ArgumentEditorProps {
	/** JSON Schema of the tool. */
	schema: unknown
	busy: boolean
	disabled: boolean
	onCall(args: Arguments): void
}

/**
 * The arguments of a tool as a form based on its schema, or as JSON. If the schema is not a plain list of properties, only JSON is
 * available.
 */
export function ArgumentEditor({ schema, busy, disabled, onCall }: ArgumentEditorProps) {
	const fields = argumentFields(schema)
	const [mode, setMode] = useState<Mode>(fields ? 'form' : 'json')
	const [texts, setTexts] = useState<Record<string, string>>({})
	const [json, setJson] = useState('{}')
	const [isTried, setIsTried] = useState(false)
	const read = mode === 'form' ? readArguments(fields ?? [], texts) : readJson(json)
	const errors = isTried && 'errors' in read ? read.errors : {}
	const submit = (event: FormEvent) => {
		event.preventDefault()
		setIsTried(true)
		if ('arguments' in read) onCall(read.arguments)
	}
	const switchTo = (next: Mode) => {
		if (next === 'json' && 'arguments' in read) setJson(JSON.stringify(read.arguments, null, 2))
		if (next === 'form' && 'arguments' in read) setTexts(textsOf(read.arguments))
		setMode(next)
	}
	return (
		<form onSubmit={submit} noValidate className="grid gap-4">
			<div className="flex items-center justify-between gap-3 border-t border-line pt-4">
				<h3 className="font-semibold">Arguments</h3>
				{fields && (
					<Segmented<Mode> label="Edit the arguments as" value={mode} options={modes} onChange={switchTo} />
				)}
			</div>
			{mode === 'json' ? (
				<Field label="Arguments as JSON" error={errors.json}>
					{(field) => (
						<Textarea
							{...field}
							rows={8}
							spellCheck={false}
							value={json}
							onChange={(event) => setJson(event.target.value)}
							className="font-mono text-xs"
						/>
					)}
				</Field>
			) : fields?.length === 0 ? (
				<p className="text-ink-3">The tool takes no arguments.</p>
			) : (
				fields?.map((field) => (
					<ArgumentInput
						key={field.name}
						field={field}
						text={texts[field.name] ?? field.initial}
						error={errors[field.name]}
						onChange={(text) => setTexts({ ...texts, [field.name]: text })}
					/>
				))
			)}
			<Button
				type="submit"
				variant="primary"
				icon="play"
				className="justify-self-start"
				busy={busy}
				disabled={disabled}
			>
				Call the tool
			</Button>
		</form>
	)
}

interface ArgumentInputProps {
	field: ArgumentField
	text: string
	error: string | undefined
	onChange(text: string): void
}

function ArgumentInput({ field, text, error, onChange }: ArgumentInputProps) {
	const options = field.kind === 'boolean' ? ['true', 'false'] : field.options
	return (
		<Field
			label={field.name}
			optional={!field.required}
			hint={field.description}
			error={error && `${field.name} ${error}`}
		>
			{(props) => {
				const shared = {
					...props,
					value: text,
					onChange: (event: { target: { value: string } }) => onChange(event.target.value),
				}
				if (field.kind === 'choice' || field.kind === 'boolean')
					return (
						<Select {...shared} className="max-w-xs">
							<option value="">–</option>
							{options.map((option) => (
								<option key={option}>{option}</option>
							))}
						</Select>
					)
				if (field.kind === 'json')
					return <Textarea {...shared} spellCheck={false} placeholder="JSON" className="font-mono text-xs" />
				if (field.kind === 'text') return <Textarea {...shared} rows={1} className="min-h-8!" />
				return <Input {...shared} inputMode="decimal" className="max-w-xs" />
			}}
		</Field>
	)
}

function readJson(text: string): ReturnType<typeof readArguments> {
	const value = parseJson(text)
	return typeof value === 'object' && value !== null && !Array.isArray(value)
		? { arguments: value as Arguments }
		: { errors: { json: 'This is not a JSON object' } }
}

function textsOf(args: Arguments): Record<string, string> {
	return Object.fromEntries(
		Object.entries(args).map(([name, value]) => [
			name,
			typeof value === 'string' ? value : JSON.stringify(value),
		]),
	)
}
