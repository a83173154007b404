/**
 * What a desktop shows during a bench, in a terminal: its first cells have the number of the picture as their colour.
 * `frames`: new pictures of the whole screen, as fast as the terminal takes them. `keys`: a new number for every key.
 */
const [mode] = process.argv.slice(2)
const { stdout, stdin } = process
const [columns, rows] = stdout.getWindowSize()
let number = 0

function numbered(): string {
  number += 1
  return `\u001b[H\u001b[48;2;${(number >> 16) & 255};${(number >> 8) & 255};${number & 255}m${' '.repeat(4)}\u001b[0m`
}

/** Coloured text that moves by a column. */
function picture(): string {
  const lines = Array.from({ length: rows - 1 }, (_, row) => {
    const text = Array.from({ length: columns - 1 }, (_unused, column) => String.fromCharCode(33 + ((row * 7 + column + number) % 90)))
    return `\u001b[3${(row + number) % 8}m${text.join('')}`
  })
  return `${numbered()}\r\n${lines.join('\r\n')}`
}

function play(): void {
  const isRoomy = stdout.write(picture())
  if (isRoomy) setTimeout(play, 33)
  else stdout.once('drain', () => setTimeout(play, 33))
}

stdout.write('\u001b[?25l\u001b[2J')
stdin.setRawMode(true)
if (mode === 'frames') play()
else stdin.on('data', () => void stdout.write(numbered()))
