import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { describeDimension } from '../../lib/dimension-words.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { parseAmount } from './describe-budget.ts'
import { type PriceInput, refreshPrices } from './queries.ts'

interface Props {
	open: boolean
	given: { model: string; provider: string; connection: string }
	onClose(): void
}

/** Sets the price of models from now on. */
export function SetPriceDialog({ open, given, onClose }: Props) {
	return (
		<Dialog
			open={open}
			onClose={onClose}
			title="Set a price"
			description="US dollars per million tokens, from now on. Empty fields keep the price table’s value."
		>
			<PriceForm given={given} onClose={onClose} />
		</Dialog>
	)
}

const rateFields = [
	'in_text',
	'out_text',
	'cache_read',
	'cache_write_5m',
	'cache_write_1h',
	'out_reasoning',
] as const

function PriceForm({ given, onClose }: Omit<Props, 'open'>) {
	const queries = useQueryClient()
	const [model, setModel] = useState(given.model)
	const [provider, setProvider] = useState(given.provider)
	const [note, setNote] = useState('')
	const [typed, setTyped] = useState<Record<string, string>>({})
	const set = useMutation({
		mutationFn: (body: PriceInput) => unwrap(api.POST('/v1/prices', { body })),
		onSuccess: async () => {
			await refreshPrices(queries)
			toast('The price holds from now on')
			onClose()
		},
	})
	const rates = ratesOf(typed)
	const submit = (event: FormEvent) => {
		event.preventDefault()
		if (!rates) return
		set.mutate({
			model: model.trim(),
			rates,
			...(provider.trim() && { provider: provider.trim() }),
			...(note.trim() && { note: note.trim() }),
		})
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<Field label="Model" hint="The provider’s name for it; * matches any text">
				{(field) => (
					<Input
						{...field}
						required
						value={model}
						onChange={(event) => setModel(event.target.value)}
						className="font-mono"
					/>
				)}
			</Field>
			<Field label="Provider" optional hint="Leave empty for all providers">
				{(field) => (
					<Input {...field} value={provider} onChange={(event) => setProvider(event.target.value)} />
				)}
			</Field>
			<div className="grid gap-4 sm:grid-cols-2">
				{rateFields.map((dimension) => (
					<Field key={dimension} label={describeDimension(dimension)} optional={dimension !== 'in_text'}>
						{(field) => (
							<Input
								{...field}
								inputMode="decimal"
								placeholder="dollars"
								value={typed[dimension] ?? ''}
								onChange={(event) => setTyped({ ...typed, [dimension]: event.target.value })}
								className="tabular-nums"
							/>
						)}
					</Field>
				))}
			</div>
			<Field label="Note" optional hint="Price source">
				{(field) => (
					<Input {...field} maxLength={500} value={note} onChange={(event) => setNote(event.target.value)} />
				)}
			</Field>
			{set.error && <InlineError error={set.error} />}
			<DialogActions>
				<Button onClick={onClose}>Cancel</Button>
				<Button
					type="submit"
					variant="primary"
					busy={set.isPending}
					disabled={rates === null || model.trim() === ''}
				>
					Set price
				</Button>
			</DialogActions>
		</form>
	)
}

/** The typed rates as integer nano-dollars; null if none is typed or one is invalid. Zero is a valid price: free. */
function ratesOf(typed: Record<string, string>): Record<string, string> | null {
	const filled = Object.entries(typed).filter(([, text]) => text.trim() !== '')
	const rates = filled.map(([dimension, text]) => [
		dimension,
		/^0([.,]0+)?$/.test(text.trim()) ? '0' : parseAmount(text, 'nano_usd'),
	])
	if (rates.length === 0 || rates.some(([, amount]) => amount === null)) return null
	return Object.fromEntries(rates) as Record<string, string>
}
