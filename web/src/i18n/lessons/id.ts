/** Aturan, nasihat, dan teka-teki dalam bahasa Indonesia. */

import type { Lessons } from "./text";

const id: Lessons = {
  "rules.title": "Cara bermain Go",
  "rules.lead":
    "Dua pemain, batu hitam dan batu putih, dan satu tujuan: mengelilingi papan lebih banyak daripada lawan. Semua aturannya muat di halaman ini.",
  "rules.show": "Tunjukkan langkah",
  "rules.back": "Kembali",
  "rules.presets": "Empat cara bermain di sini",
  "rules.basics": "Aturannya",

  "lesson.board": "Papan dan langkah",
  "lesson.board.text":
    "Batu ditaruh di perpotongan garis, satu setiap giliran, Hitam lebih dulu. Batu yang sudah ditaruh tidak berpindah; ia hanya bisa ditangkap. Pemain juga boleh lewat.",
  "lesson.liberty": "Liberti",
  "lesson.liberty.text":
    "Titik kosong di samping batu sepanjang garis adalah libertinya: paling banyak empat, lebih sedikit di tepi. Di sini diberi nomor.",
  "lesson.capture": "Menangkap",
  "lesson.capture.text":
    "Batu yang tinggal punya satu liberti berada dalam atari. Siapa mengambil liberti terakhir mengangkat batu itu, seperti Hitam di 1.",
  "lesson.chain": "Rantai",
  "lesson.chain.text":
    "Batu sewarna yang bersentuhan sepanjang garis membentuk rantai. Libertinya dimiliki bersama, dan mereka hidup atau tertangkap bersama: Putih di 1 menangkap ketiganya.",
  "lesson.suicide": "Dilarang bunuh diri",
  "lesson.suicide.text":
    "Batu tidak boleh ditaruh di tempat tanpa liberti, seperti Hitam di ×. Tetapi menangkap didahulukan: Hitam boleh main di 1, sebab dua batu putih terangkat dan liberti pun ada.",
  "lesson.ko": "Ko",
  "lesson.ko.text":
    "Setelah Hitam mengambil satu batu di 1, Putih bisa langsung membalas, dan begitu seterusnya. Inilah ko: titik bertanda kotak dilarang sampai ada langkah lain. Dengan superko posisional, posisi papan yang pernah ada tidak boleh muncul lagi.",
  "lesson.eyes": "Dua mata",
  "lesson.eyes.text":
    "Putih tidak boleh main di 1 maupun di 2: keduanya bunuh diri selama yang lain masih terbuka. Kelompok dengan dua mata seperti ini tidak bisa ditangkap. Ia hidup.",
  "lesson.seki": "Seki",
  "lesson.seki.text":
    "Siapa main di 1 atau 2 menutup libertinya sendiri dan tertangkap. Maka tak ada yang main di situ, kedua kelompok hidup tanpa dua mata, dan titik bersama bukan milik siapa pun.",
  "lesson.area": "Menghitung area",
  "lesson.area.text":
    "Dalam Cepat dan Weiqi yang dihitung ialah batu yang hidup dan titik kosong yang hanya Anda kelilingi. Di sini Hitam {black} dan Putih {white}, sebelum komi.",
  "lesson.territory": "Menghitung wilayah",
  "lesson.territory.text":
    "Dalam Wilayah dan Igo yang dihitung ialah titik kosong yang hanya Anda kelilingi dan tawanan Anda. Di sini Hitam {black} titik dan Putih {white}, sebelum tawanan dan komi. Batu yang mati di akhir menjadi tawanan.",
  "lesson.komi": "Mengapa ada komi",
  "lesson.komi.text":
    "Hitam melangkah lebih dulu, dan itu bernilai beberapa poin. Sebagai gantinya Putih mendapat komi. Dengan setengah poin tidak ada seri; dengan komi 7 permainan bisa seri (jigo).",
  "lesson.end": "Akhir permainan",
  "lesson.end.text":
    "Bila tak ada lagi yang bisa diraih, keduanya lewat dan papan dihitung. Pemain juga bisa menyerah, atau kalah waktu. Bila kedua pemain harus sepakat tentang batu mati, yang tidak setuju boleh melanjutkan satu kali; dua lewat berikutnya menentukan.",

  "strategy.title": "Nasihat pertama",
  "strategy.1": "Sudut dulu, lalu sisi, lalu tengah: sudut butuh batu paling sedikit.",
  "strategy.2": "Kelompok butuh dua mata. Siapkan ruangnya tepat waktu.",
  "strategy.3": "Jangan mengisi mata sendiri.",
  "strategy.4": "Cari atari sebelum setiap langkah: milik Anda dan milik lawan.",
  "strategy.5":
    "Rantai yang lari dengan satu liberti terus-menerus (tangga) akan kalah bila tak ada yang menolong di jalannya.",
  "strategy.6": "Tetap tersambung, dan putuskan lawan.",
  "strategy.7": "Hitung sebelum lewat: pratinjau menunjukkan hasilnya.",
  "strategy.8": "Lewatlah bila semua batas sudah tertutup dan tak ada batu yang terancam.",

  "faq.title": "Pertanyaan",
  "faq.1": "Apakah berbayar?",
  "faq.1.text": "Tidak. Nama saja cukup; akun hanya perlu untuk permainan berperingkat dan papan peringkat.",
  "faq.2": "Aturan mana yang sebaiknya dipilih?",
  "faq.2.text": "Mulailah dengan Cepat: papannya kecil, server yang menghitung, dan selesai sepuluh menit.",
  "faq.3": "Bagaimana permainan berakhir?",
  "faq.3.text": "Dengan dua kali lewat, menyerah, habis waktu, atau bila pemain pergi terlalu lama.",
  "faq.4": "Bisakah seri?",
  "faq.4.text":
    "Dalam Cepat bisa: komi 7, dan kedua pemain boleh sepakat seri. Selain itu setengah poin menentukan.",
  "faq.5": "Mengapa saya tidak bisa menandai batu mati?",
  "faq.5.text":
    "Dalam Cepat dan Wilayah server yang menentukannya, dengan hitungan yang sama bagi keduanya. Dalam Weiqi kedua pemain menyetujui usulnya; dalam Igo Anda boleh menandai.",
  "faq.6": "Seberapa kuat AI-nya?",
  "faq.6.text":
    "Mudah kalah dari pemula sepekan; Sulit mengalahkan pemain santai. Melawan AI tidak ada jam, dan langkah boleh ditarik kembali.",
  "faq.7": "Bagaimana bila sambungan terputus?",
  "faq.7.text":
    "Permainan menunggu beberapa saat, dan halaman ini menyambung lagi sendiri. Waktu yang hilang karena server dikembalikan.",

  "differ.title": "Perbedaannya",
  "differ.boards": "Papan",
  "differ.scoring": "Hitungan",
  "differ.komi": "Komi",
  "differ.ko": "Ko",
  "differ.handicap": "Handicap",
  "differ.dead": "Batu mati",
  "differ.passes": "Setelah dua kali lewat",
  "differ.time": "Waktu antarorang",
  "differ.draw": "Seri",
  "value.area": "batu dan titik",
  "value.territory": "titik dan tawanan",
  "value.superko": "posisi lama tak boleh terulang",
  "value.simple": "tidak langsung",
  "value.none": "tidak ada",
  "value.handicap": "2 sampai 9 batu",
  "value.clear": "ditemukan server bila pasti",
  "value.estimate": "taksiran terbaik server",
  "value.agreed": "diusulkan, keduanya setuju",
  "value.marked": "diusulkan, pemain boleh menandai",
  "value.atOnce": "langsung dihitung",
  "value.agreement": "keduanya setuju, atau lanjut bermain",
  "value.perMove": "30 dtk per langkah",
  "value.byoyomi": "10 mnt dan 5 × 30 dtk",
  "value.yes": "ya",
  "value.no": "tidak",

  "preset.quick.text":
    "Jalan tercepat menuju permainan: papan kecil, hitungan area, komi 7. Server langsung menghitung setelah dua kali lewat dan mengangkat batu yang pasti mati, jadi mainkan sampai jelas. Nilai sama berarti seri.",
  "preset.territory.text":
    "Papan kecil dengan hitungan wilayah: titik kosong dan tawanan. Server menentukan batu mati dengan taksiran terbaiknya, masing-masing menjadi tawanan, dan selalu ada pemenang.",
  "preset.weiqi.text":
    "Hitungan area di papan 9, 13, dan 19 garis, dengan superko posisional. Setelah dua kali lewat server mengusulkan batu mati; keduanya setuju, atau permainan dilanjutkan satu kali.",
  "preset.igo.text":
    "Hitungan wilayah seperti di Jepang, biasanya 19 garis, dengan handicap. Kedua pemain menyepakati batu mati dan boleh menandainya; ko boleh diambil kembali setelah satu langkah di tempat lain.",

  "puzzle.title": "Sepuluh teka-teki kecil",
  "puzzle.number": "Teka-teki {n}",
  "puzzle.right": "Benar!",
  "puzzle.wrong": "Bukan di situ. Coba titik lain.",
  "puzzle.next": "Teka-teki berikutnya",
  "puzzle.again": "Ulangi",
  "puzzle.done": "Anda sudah tahu semua yang perlu. Mainkan permainan pertama Anda!",
  "puzzle.play": "Lawan AI",
  "puzzle.1": "Batu putih tinggal punya satu liberti. Tangkaplah.",
  "puzzle.2": "Dua batu dalam satu rantai berbagi liberti. Ambil yang terakhir.",
  "puzzle.3": "Batu Anda dalam atari. Beri liberti lebih banyak.",
  "puzzle.4": "Ancam dua batu dengan satu langkah: atari ganda.",
  "puzzle.5": "Hanya satu dari dua rantai putih yang bisa ditangkap sekarang. Yang mana?",
  "puzzle.6": "Putih ingin memutus Anda. Sambungkan batu Anda.",
  "puzzle.7": "Ambil ko-nya.",
  "puzzle.8": "Buat dua mata, supaya kelompok Anda hidup.",
  "puzzle.9": "Putih masih punya ruang untuk satu mata lagi. Ambil, dan kelompoknya mati.",
  "puzzle.10": "Semua batas sudah tertutup. Apa yang Anda lakukan?",
};

export default id;
