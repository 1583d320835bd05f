import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Textarea } from '../../ui/field.tsx'
import { InlineError } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'

interface TryBoxProps {
	label: string
	hint: string
	disabled: boolean
	/** Only this rule; absent: the built-in detectors and all rules. */
	rule?: { pattern: string; label: string }
}

/** Shows how a text would be redacted. */
export function TryBox({ label, hint, disabled, rule }: TryBoxProps) {
	const [text, setText] = useState('')
	const attempt = useMutation({
		mutationFn: () => unwrap(api.POST('/v1/redaction-rules/try', { body: { text, ...rule } })),
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		attempt.mutate()
	}
	return (
		<form onSubmit={submit} className="grid gap-3">
			<Field label={label} hint={hint}>
				{(field) => (
					<Textarea
						{...field}
						required
						disabled={disabled}
						maxLength={20_000}
						spellCheck={false}
						placeholder="Ask EMP-123456 for the key sk-…"
						value={text}
						onChange={(event) => setText(event.target.value)}
						className="font-mono text-xs"
					/>
				)}
			</Field>
			<Button type="submit" className="justify-self-start" busy={attempt.isPending} disabled={text === ''}>
				Try
			</Button>
			{attempt.error && <InlineError error={attempt.error} />}
			{attempt.data && <Outcome {...attempt.data} />}
		</form>
	)
}

function Outcome({ text, found }: { text: string; found: readonly string[] }) {
	return (
		<div role="status" className="grid gap-2">
			<p className="flex flex-wrap items-center gap-1.5">
				{found.length === 0 ? (
					<Badge tone="idle">nothing found</Badge>
				) : (
					found.map((name) => (
						<Badge key={name} tone="ok">
							{name}
						</Badge>
					))
				)}
			</p>
			<pre className="max-h-48 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs break-words whitespace-pre-wrap">
				{text}
			</pre>
		</div>
	)
}
