import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { refreshScores, type ScoredObject, type ScoreInput } from './queries.ts'

type Kind = 'good' | 'bad' | 'number' | 'comment'

const kinds = [
	{ value: 'good', label: 'Good' },
	{ value: 'bad', label: 'Bad' },
	{ value: 'number', label: 'Number' },
	{ value: 'comment', label: 'Comment' },
] as const satisfies readonly { value: Kind; label: string }[]

/** Adds a score to a trace or a session; it is visible everywhere within seconds. */
export function ScoreForm({ scored, onDone }: { scored: ScoredObject; onDone(): void }) {
	const queries = useQueryClient()
	const [name, setName] = useState('quality')
	const [kind, setKind] = useState<Kind>('good')
	const [number, setNumber] = useState('')
	const [comment, setComment] = useState('')
	const save = useMutation({
		mutationFn: (body: ScoreInput) => unwrap(api.POST('/v1/scores', { body })),
		onSuccess: async () => {
			toast('Saved: it shows within a second')
			onDone()
			await refreshScores(queries)
		},
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		save.mutate({ ...scored, name: name.trim(), value: scoreValue(kind, number), comment: comment.trim() })
	}
	return (
		<form onSubmit={submit} className="mt-3 grid gap-3 border-t border-line pt-3">
			<Field label="Score name">
				{(field) => (
					<Input
						{...field}
						required
						maxLength={100}
						value={name}
						onChange={(event) => setName(event.target.value)}
					/>
				)}
			</Field>
			<Segmented<Kind> label="Score" value={kind} options={kinds} onChange={setKind} />
			{kind === 'number' && (
				<Field label="Number">
					{(field) => (
						<Input
							{...field}
							required
							type="number"
							step="any"
							value={number}
							onChange={(event) => setNumber(event.target.value)}
						/>
					)}
				</Field>
			)}
			<Field label="Why" optional={kind !== 'comment'}>
				{(field) => (
					<Textarea
						{...field}
						required={kind === 'comment'}
						maxLength={4000}
						value={comment}
						onChange={(event) => setComment(event.target.value)}
					/>
				)}
			</Field>
			{save.error && <InlineError error={save.error} />}
			<div className="flex justify-end gap-2">
				<Button onClick={onDone}>Cancel</Button>
				<Button type="submit" variant="primary" busy={save.isPending} disabled={name.trim() === ''}>
					Keep
				</Button>
			</div>
		</form>
	)
}

function scoreValue(kind: Kind, number: string): NonNullable<ScoreInput['value']> | null {
	if (kind === 'comment') return null
	return kind === 'number' ? Number(number) : kind === 'good'
}
