// A model that knows a few words, in the layout of Hugging Face: two words that follow each other in the list mean the same.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const dimensions = 16
const words = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'clean', 'rinse', 'gown', 'hood', 'pump', 'motor', 'cold', 'chilly']

/** Writes the model into a folder. */
export function writeTinyModel(place: string) {
  mkdirSync(join(place, 'onnx'), { recursive: true })
  const files = {
    'config.json': { model_type: 'bert', architectures: ['BertModel'], hidden_size: dimensions },
    'tokenizer_config.json': {
      ...{ tokenizer_class: 'BertTokenizer', pad_token: '[PAD]', unk_token: '[UNK]', cls_token: '[CLS]' },
      ...{ sep_token: '[SEP]', model_max_length: 64 },
    },
    'tokenizer.json': {
      ...{ version: '1.0', truncation: null, padding: null, added_tokens: [], post_processor: null, decoder: null },
      ...{ normalizer: { type: 'Lowercase' }, pre_tokenizer: { type: 'Whitespace' } },
      model: {
        type: 'WordLevel',
        vocab: Object.fromEntries(words.map((word, index) => [word, index])),
        unk_token: '[UNK]',
      },
    },
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(place, name), JSON.stringify(content))
  writeFileSync(join(place, 'onnx', 'model.onnx'), tinyModel())
}

/** A table of words in ONNX's protocol buffers: two words that follow each other in the list mean the same. */
function tinyModel(): Buffer {
  const weights = new Float32Array(words.length * dimensions)
  for (const place of weights.keys()) {
    const word = Math.floor(place / dimensions)
    const column = place % dimensions
    weights[place] = word < 4 ? 0.001 : column === Math.floor((word - 4) / 2) ? 1 : 0.01 * (word + column)
  }
  const varint = (value: number): number[] =>
    value < 128 ? [value] : [(value & 127) | 128, ...varint(Math.floor(value / 128))]
  const number = (field: number, value: number) => Buffer.from([...varint(field << 3), ...varint(value)])
  const bytes = (field: number, content: Buffer | string) => {
    const data = typeof content === 'string' ? Buffer.from(content) : content
    return Buffer.concat([Buffer.from([...varint((field << 3) | 2), ...varint(data.length)]), data])
  }
  const all = (...parts: Buffer[]) => Buffer.concat(parts)
  const shape = (of: (string | number)[]) =>
    all(...of.map(each => bytes(1, typeof each === 'string' ? bytes(2, each) : number(1, each))))
  const value = (name: string, type: number, of: (string | number)[]) =>
    all(bytes(1, name), bytes(2, bytes(1, all(number(1, type), bytes(2, shape(of))))))
  const [float, int64] = [1, 7]
  const table = all(
    ...[number(1, words.length), number(1, dimensions), number(2, float), bytes(8, 'words')],
    bytes(9, Buffer.from(weights.buffer)),
  )
  const lookUp = all(bytes(1, 'words'), bytes(1, 'input_ids'), bytes(2, 'last_hidden_state'), bytes(4, 'Gather'))
  const graph = all(
    ...[bytes(1, lookUp), bytes(2, 'tiny'), bytes(5, table)],
    bytes(11, value('input_ids', int64, ['texts', 'words'])),
    bytes(11, value('attention_mask', int64, ['texts', 'words'])),
    bytes(12, value('last_hidden_state', float, ['texts', 'words', dimensions])),
  )
  return all(number(1, 8), bytes(8, all(bytes(1, ''), number(2, 13))), bytes(7, graph))
}
