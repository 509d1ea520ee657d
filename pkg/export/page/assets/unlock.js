// An encrypted page: everything about the session is sealed in segments, which the password opens. Then the page is the
// same as any other.

const lock = JSON.parse(byID('lock').textContent);
const sayLocked = (text) => { byID('lock-status').textContent = text; };

// deriveKey derives the key from the password.
async function deriveKey(password) {
  const raw = await crypto.subtle.importKey('raw', new TextEncoder().encode(password), 'PBKDF2', false, ['deriveKey']);
  const how = {name: 'PBKDF2', hash: 'SHA-256', salt: fromBase64(lock.salt), iterations: lock.rounds};
  return crypto.subtle.deriveKey(how, raw, {name: 'AES-GCM', length: 256}, false, ['decrypt']);
}

// nonceOf is the number of a segment, and whether it is the last, as in lock.go.
function nonceOf(number, isLast) {
  const nonce = new DataView(new ArrayBuffer(12));
  nonce.setUint8(0, isLast ? 1 : 0);
  nonce.setUint32(8, number);
  return nonce;
}

// openSegments decrypts all segments, and puts the elements that they contain into the page.
async function openSegments(password) {
  if (document.readyState === 'loading') await new Promise((resolve) => { document.addEventListener('DOMContentLoaded', resolve); });
  const segments = [...document.querySelectorAll('script[id^="sealed-"]')];
  const key = await deriveKey(password), elements = document.createDocumentFragment(), decoder = new TextDecoder();
  let text = '';
  for (let number = 0; number < segments.length; number++) {
    const iv = nonceOf(number, number === segments.length - 1);
    const sealed = fromBase64(segments[number].textContent);
    const opened = await crypto.subtle.decrypt({name: 'AES-GCM', iv}, key, sealed).catch(() => {
      throw new Error(number ? 'This file is damaged, or its end is missing.' : 'The password is wrong, or the file is damaged.');
    });
    text += decoder.decode(opened, {stream: true});
    text = takeElements(text, elements);
  }
  for (const segment of segments) segment.remove();
  document.body.append(elements);
}

const elementEnd = '<' + '/script>\n'; // in pieces, because it would end this script

// takeElements makes elements of a text, and returns what is left of it. Data never contains "<".
function takeElements(text, elements) {
  for (;;) {
    const end = text.indexOf(elementEnd);
    if (end < 0) return text;
    const [, id, content] = /^<\w+ type="[^"]*" id="([^"]*)">([^]*)$/.exec(text.slice(0, end));
    elements.append(h('div', {id, hidden: true}, content));
    text = text.slice(end + elementEnd.length);
  }
}

// unlock returns after the reader has given the password.
function unlock() {
  return new Promise((resolve) => {
    if (!globalThis.crypto?.subtle) {
      byID('lock-form').hidden = true;
      sayLocked('This browser decrypts pages only if they come from a file or over HTTPS. Save this page and open the file.');
      return;
    }
    byID('password').focus();
    byID('lock-form').addEventListener('submit', async (event) => {
      event.preventDefault();
      byID('unlock').disabled = true;
      sayLocked('Opening…');
      try {
        await openSegments(byID('password').value);
        byID('lock-main').remove();
        document.body.classList.remove('locked');
        resolve();
      } catch (error) {
        byID('unlock').disabled = false;
        byID('password').select();
        sayLocked(error.message);
      }
    });
  });
}

await unlock();
